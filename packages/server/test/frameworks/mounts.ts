/** One handoff in every framework, for tests of the adapters. @module */
import 'reflect-metadata'
import type { RequestListener } from 'node:http'
import { bodyParser } from '@koa/bodyparser'
import { Module } from '@nestjs/common'
import { NestFactory } from '@nestjs/core'
import express, { type RequestHandler } from 'express'
// @ts-expect-error: the types that exist describe version 5.
import express4 from 'express4'
import fastify from 'fastify'
import Koa from 'koa'
import { toFastify, toKoa, toNode } from '../../src/frameworks/node.ts'
import type { Checkout } from '../../src/index.ts'

/** Mounts a handoff in a framework. `closing` collects functions that close the framework. */
export type Mount = (
  checkout: Checkout,
  closing: (close: () => Promise<void>) => void,
) => RequestListener | Promise<RequestListener>

type Express = typeof express

export const expresses: readonly (readonly [name: string, make: Express])[] = [
  ['Express 5', express],
  ['Express 4', express4],
]

export const inNode: Mount = (checkout) => toNode(checkout)

/** Express with middleware before the handoff and a route of the shop after it. */
export function inExpress(make: Express, ...before: RequestHandler[]): Mount {
  return (checkout) => {
    const app = make()
    for (const step of before) app.use(step)
    app.use('/checkout', toNode(checkout))
    return app.use((_request, response) => void response.send('thank you'))
  }
}

const inNest: Mount = async (checkout, closing) => {
  class Shop {}
  Module({})(Shop)
  const app = await NestFactory.create(Shop, { logger: false })
  closing(() => app.close())
  app.use(toNode(checkout))
  await app.init()
  return app.getHttpAdapter().getInstance()
}

export const inFastify: Mount = async (checkout, closing) => {
  const app = fastify()
  closing(async () => app.close())
  app.addHook('onRequest', async (_request, reply) => {
    reply.header('set-cookie', 'sid=1').header('vary', 'Accept')
  })
  app.all('/checkout/*', toFastify(checkout))
  await app.ready()
  return app.routing as RequestListener
}

/** Koa with middleware before the handoff, and a route of the shop after the handoff. */
export function inKoa(...before: Koa.Middleware[]): Mount {
  return (checkout) => {
    const app = new Koa()
    // Koa reports a broken connection on every route. It does not print errors that are exposed to the client.
    app.on('error', (error: NodeJS.ErrnoException & { readonly expose?: boolean }) => {
      const broken =
        error.message === 'Parse Error' || ['read', 'write'].includes(error.syscall ?? '')
      if (!error.expose && !broken) process.stderr.write(`${error.stack}\n`)
    })
    app.use((ctx, next) => {
      ctx.append('set-cookie', 'sid=1')
      ctx.set('cache-control', 'public')
      ctx.vary('Accept')
      return next()
    })
    for (const step of before) app.use(step)
    app.use(toKoa(checkout))
    app.use((ctx) => {
      ctx.body = 'thank you'
    })
    return app.callback()
  }
}

/** Koa behind middleware that removes a part of the path, as koa-mount does. */
const inKoaMount: Mount = (checkout) => {
  const app = new Koa()
  app.use(async (ctx, next) => {
    const { path } = ctx
    ctx.path = path.replace(/^\/checkout/, '') || '/'
    await next()
    ctx.path = path
  })
  return app.use(toKoa(checkout)).callback()
}

/** Every framework, with and without a body parser before the handoff. */
export const mounts: ReadonlyMap<string, Mount> = new Map([
  ...expresses.flatMap(([name, make]): [string, Mount][] => [
    [name, inExpress(make)],
    [`${name} after its JSON parser`, inExpress(make, make.json())],
    [`${name} after a text parser`, inExpress(make, make.text({ type: '*/*' }))],
    [`${name} after a raw parser`, inExpress(make, make.raw({ type: '*/*' }))],
    [`${name} after a form parser`, inExpress(make, make.urlencoded({ extended: false }))],
  ]),
  ['node:http', inNode],
  ['Nest', inNest],
  ['Fastify after its body parser', inFastify],
  ['Koa', inKoa()],
  ['Koa after its body parser', inKoa(bodyParser())],
  ['Koa in a mount', inKoaMount],
])
