import 'reflect-metadata'
import {
  createServer,
  request as httpRequest,
  type IncomingMessage,
  type RequestListener,
  type ServerResponse,
} from 'node:http'
import type { AddressInfo } from 'node:net'
import { bodyParser } from '@koa/bodyparser'
import { All, Controller, Module, Req, Res } from '@nestjs/common'
import { NestFactory } from '@nestjs/core'
import express, { type RequestHandler } from 'express'
// @ts-expect-error: the types that exist describe version 5.
import express4 from 'express4'
import fastify from 'fastify'
import { Hono } from 'hono'
import Koa from 'koa'
import { expect, onTestFinished, test } from 'vitest'
import { toExpress } from '../src/express.ts'
import { createHandoff, type HandoffHandler, PaymentIntents } from '../src/index.ts'
import { isHandoffRoute, toFastify, toKoa, toNode } from '../src/node.ts'
import {
  apiKey,
  created,
  order,
  type ScriptedService,
  scriptedService,
  secret,
} from './scripted-service.ts'

const origin = 'https://shop.example'

interface Mounted {
  readonly base: string
  readonly service: ScriptedService
  readonly contexts: unknown[]
}

async function checkoutFor(
  mount: (checkout: HandoffHandler) => RequestListener | Promise<RequestListener>,
): Promise<Mounted> {
  const service = await scriptedService(created())
  const contexts: unknown[] = []
  const checkout = createHandoff({
    intents: new PaymentIntents({ apiKey, baseUrl: service.url }),
    origin,
    keys: `k1:${Buffer.alloc(32, 'one-key').toString('base64url')}`,
    order: (_request, orderId, context) => {
      contexts.push(context)
      return orderId === 'A-1001' ? order : undefined
    },
  })
  return { base: await listen(await mount(checkout)), service, contexts }
}

async function listen(listener: RequestListener): Promise<string> {
  const server = createServer(listener)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

/** fetch of Node may set neither Origin nor Sec-Fetch-Site freely in every version; raw HTTP may. */
function post(base: string, body: string, headers: Record<string, string> = {}): Promise<Response> {
  return new Promise((resolve, reject) => {
    const request = httpRequest(`${base}/checkout/handoff`, {
      method: 'POST',
      headers: { origin, 'content-type': 'application/json', ...headers },
    })
    request.on('error', reject)
    request.on('response', (response) => {
      const chunks: Buffer[] = []
      response.on('data', (chunk: Buffer) => chunks.push(chunk))
      response.on('end', () => {
        const seen = new Headers()
        for (const [name, values] of Object.entries(response.headersDistinct)) {
          for (const value of values ?? []) seen.append(name, value)
        }
        resolve(
          new Response(Buffer.concat(chunks), { status: response.statusCode ?? 0, headers: seen }),
        )
      })
    })
    request.end(body)
  })
}

type Express = typeof express
const expresses: [string, Express][] = [
  ['Express 5', express],
  ['Express 4', express4],
]

function inExpress(
  make: Express,
  ...before: RequestHandler[]
): (checkout: HandoffHandler) => RequestListener {
  return (checkout) => {
    const app = make()
    for (const step of before) app.use(step)
    app.use('/checkout', toExpress(checkout))
    app.get('/checkout/thanks', (_request, response) => void response.send('thank you'))
    return app
  }
}

// What `@Controller() class { @All('checkout/:route') checkout(@Req() …, @Res() …) }` comes to.
function nestController(checkout: HandoffHandler): new () => object {
  const handle = toNode(checkout)
  class CheckoutController {
    checkout(request: IncomingMessage, response: ServerResponse): Promise<void> {
      return handle(request, response)
    }
  }
  const { prototype } = CheckoutController
  const method = Object.getOwnPropertyDescriptor(prototype, 'checkout') as PropertyDescriptor
  All('checkout/:route')(prototype, 'checkout', method)
  Req()(prototype, 'checkout', 0)
  Res()(prototype, 'checkout', 1)
  Controller()(CheckoutController)
  return CheckoutController
}

async function inNest(checkout: HandoffHandler): Promise<RequestListener> {
  class Shop {}
  Module({ controllers: [nestController(checkout)] })(Shop)
  const app = await NestFactory.create(Shop, { logger: false })
  onTestFinished(() => app.close())
  await app.init()
  return app.getHttpAdapter().getInstance()
}

async function inFastify(checkout: HandoffHandler): Promise<RequestListener> {
  const app = fastify()
  onTestFinished(() => app.close())
  app.addHook('onRequest', async (_request, reply) => void reply.header('set-cookie', 'sid=1'))
  app.all('/checkout/*', toFastify(checkout))
  await app.ready()
  return app.routing as RequestListener
}

function inKoa(parse: boolean): (checkout: HandoffHandler) => RequestListener {
  return (checkout) => {
    const app = new Koa()
    if (parse) app.use(bodyParser())
    app.use(toKoa(checkout))
    app.use((ctx) => {
      ctx.body = 'thank you'
    })
    return app.callback()
  }
}

const mounts: [string, (checkout: HandoffHandler) => RequestListener | Promise<RequestListener>][] =
  [
    ...expresses.flatMap(([name, make]): typeof mounts => [
      [name, inExpress(make)],
      [`${name} after its JSON parser`, inExpress(make, make.json())],
      [`${name} after a text parser`, inExpress(make, make.text({ type: '*/*' }))],
      [`${name} after a raw parser`, inExpress(make, make.raw({ type: '*/*' }))],
      [`${name} after a form parser`, inExpress(make, make.urlencoded({ extended: false }))],
    ]),
    ['node:http', (checkout) => toNode(checkout)],
    ['Nest, which parses bodies by itself', inNest],
    ['Fastify, which parses bodies by itself', inFastify],
    ['Koa', inKoa(false)],
    ['Koa after its body parser', inKoa(true)],
  ]
for (const [name, mount] of mounts) {
  test(`in ${name} the page gets its handoff, the stranger and the curious do not`, async () => {
    const { base, service } = await checkoutFor(mount)
    const given = await post(base, '{"orderId":"A-1001"}')
    expect(given.status).toBe(200)
    expect(await given.json()).toEqual({ id: 'pi_scripted', clientSecret: secret })
    expect(given.headers.get('cache-control')).toBe('no-store, private')
    expect(given.headers.getSetCookie().join()).toContain('__Host-pi-handoff=')
    const cookie = given.headers.getSetCookie().find((it) => it.startsWith('__Host-')) ?? ''
    const resumed = await post(base, '{"orderId":"A-1001"}', { cookie: cookie.split(';')[0] ?? '' })
    expect(await resumed.json()).toEqual({ id: 'pi_scripted', clientSecret: secret })
    expect(service.requests).toHaveLength(1)
    const status = await fetch(`${base}/checkout/status?orderId=A-1001`)
    expect(await status.json()).toEqual({ state: 'open' })
    const stranger = await post(base, '{"orderId":"A-1001"}', { origin: 'https://evil.example' })
    expect(stranger.status).toBe(403)
    const curious = await post(base, '{"orderId":"B-2"}')
    expect(curious.status).toBe(404)
    const tooLong = await post(base, `{"orderId":"${'x'.repeat(5000)}"}`)
    expect(tooLong.status).toBe(413)
    expect(service.requests).toHaveLength(1)
  })
}

for (const [name, make] of expresses) {
  test(`in ${name} a body that was read and thrown away is named at once`, async () => {
    const { base } = await checkoutFor(
      inExpress(make, (request, _response, next) => {
        request.resume()
        request.on('end', () => next())
      }),
    )
    const response = await post(base, '{"orderId":"A-1001"}')
    expect(response.status).toBe(500)
    expect(await response.json()).toMatchObject({ code: 'body_already_read' })
  })

  test(`in ${name} other paths go on to the shop's own routes`, async () => {
    const { base } = await checkoutFor(inExpress(make))
    expect(await (await fetch(`${base}/checkout/thanks`)).text()).toBe('thank you')
  })

  test(`in ${name} hooks get the framework's own request`, async () => {
    const { base, contexts } = await checkoutFor(
      inExpress(make, (request, _response, next) => {
        Object.assign(request, { user: 'ani' })
        next()
      }),
    )
    await post(base, '{}')
    expect(contexts).toMatchObject([{ user: 'ani', originalUrl: '/checkout/handoff' }])
  })

  test(`in ${name} cookies that others set stay beside the handoff's`, async () => {
    const { base } = await checkoutFor(
      inExpress(make, (_request, response, next) => {
        response.cookie('sid', '1')
        next()
      }),
    )
    const response = await post(base, '{"orderId":"A-1001"}')
    expect(response.headers.getSetCookie().map((it) => it.split('=')[0])).toEqual([
      'sid',
      '__Host-pi-handoff',
    ])
  })
}

test('in Fastify cookies that others set stay, and hooks get its own request', async () => {
  const { base, contexts } = await checkoutFor(inFastify)
  const response = await post(base, '{"orderId":"A-1001"}')
  expect(response.headers.getSetCookie().map((it) => it.split('=')[0])).toEqual([
    'sid',
    '__Host-pi-handoff',
  ])
  expect(contexts).toMatchObject([{ routeOptions: { url: '/checkout/*' } }])
})

test('in Koa other paths go on, and hooks get its own context', async () => {
  const { base, contexts } = await checkoutFor(inKoa(true))
  expect(await (await fetch(`${base}/checkout/thanks`)).text()).toBe('thank you')
  await post(base, '{}')
  expect(contexts).toMatchObject([{ path: '/checkout/handoff' }])
})

test('in node:http a shared server asks first whether the request is for the handoff', async () => {
  const { base } = await checkoutFor((checkout) => {
    const answer = toNode(checkout)
    return (request, response) => {
      if (isHandoffRoute(request)) void answer(request, response)
      else response.end('thank you')
    }
  })
  expect(await (await fetch(`${base}/else`)).text()).toBe('thank you')
  expect((await post(base, '{"orderId":"A-1001"}')).status).toBe(200)
  expect(
    (await fetch(`${base}/checkout/handoff`, { method: 'TRACE' }).catch(() => undefined))?.status,
  ).toBe(undefined)
})

test('a buyer who leaves never cuts a create in half', async () => {
  let answer = (): void => {}
  const service = await scriptedService((response, request) => {
    answer = () => void created()(response, request)
  })
  const stored: string[] = []
  const checkout = createHandoff({
    intents: new PaymentIntents({ apiKey, baseUrl: service.url }),
    origin,
    keys: `k1:${Buffer.alloc(32, 'one-key').toString('base64url')}`,
    order: () => order,
    onIntent: (_order, intent) => void stored.push(intent.id),
  })
  const base = await listen(inExpress(express)(checkout))
  const leaving = httpRequest(`${base}/checkout/handoff`, {
    method: 'POST',
    headers: { origin, 'content-type': 'application/json' },
  })
  leaving.on('error', () => {})
  leaving.end('{}')
  await expect.poll(() => service.requests.length).toBe(1)
  leaving.destroy()
  answer()
  await expect.poll(() => stored).toEqual(['pi_scripted'])
})

test('Hono, Next, Bun and Deno pass the Request itself', async () => {
  const service = await scriptedService(created())
  const contexts: unknown[] = []
  const checkout = createHandoff({
    intents: new PaymentIntents({ apiKey, baseUrl: service.url }),
    origin,
    keys: `k1:${Buffer.alloc(32, 'one-key').toString('base64url')}`,
    order: (_request, _orderId, context) => {
      contexts.push(context)
      return order
    },
  })
  const headers = { origin, 'content-type': 'application/json' }
  const ask = (): Request =>
    new Request(`${origin}/checkout/handoff`, { method: 'POST', headers, body: '{}' })

  const app = new Hono().all('/checkout/*', (c) => checkout(c.req.raw, c))
  expect((await app.request(ask())).status).toBe(200)
  expect(contexts[0]).toHaveProperty('req')

  // A Next route handler is a named export that gets the request and the route's params.
  const POST: (request: Request, context: { params: Promise<unknown> }) => Promise<Response> =
    checkout
  expect((await POST(ask(), { params: Promise.resolve({}) })).status).toBe(200)

  const bun: { fetch: (request: Request) => Promise<Response> } = { fetch: checkout }
  expect((await bun.fetch(ask())).status).toBe(200)
})

test('a Request whose body was read already is named at once', async () => {
  const checkout = createHandoff({
    intents: new PaymentIntents({ apiKey, baseUrl: 'http://127.0.0.1:1' }),
    origin,
    keys: `k1:${Buffer.alloc(32, 'one-key').toString('base64url')}`,
    order: () => order,
  })
  const headers = { origin, 'content-type': 'application/json' }
  const request = new Request(`${origin}/handoff`, { method: 'POST', headers, body: '{}' })
  await request.text()
  const response = await checkout(request)
  expect(response.status).toBe(500)
  expect(await response.json()).toMatchObject({ code: 'body_already_read' })
})
