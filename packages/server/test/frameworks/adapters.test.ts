import { request as httpRequest, type RequestListener } from 'node:http'
import { startSite } from '@pi-checkout/test-support/sites'
import express from 'express'
import { Hono } from 'hono'
import { expect, onTestFinished, test, vi } from 'vitest'
import { toExpress } from '../../src/frameworks/express.ts'
import { isHandoffRoute, toNode } from '../../src/frameworks/node.ts'
import { respondToNode } from '../../src/frameworks/node-call.ts'
import type { HandoffResult } from '../../src/handoff/call.ts'
import { createHandoff, PaymentIntents } from '../../src/index.ts'
import {
  apiKey,
  created,
  order,
  type ScriptedService,
  scriptedService,
  secret,
} from '../scripted-service.ts'
import { expresses, inExpress, inFastify, inKoa, type Mount, mounts } from './mounts.ts'

const origin = 'https://shop.example'

interface Mounted {
  readonly base: string
  readonly service: ScriptedService
  readonly contexts: unknown[]
  readonly errors: unknown[]
}

async function checkoutFor(mount: Mount): Promise<Mounted> {
  const service = await scriptedService(created())
  const contexts: unknown[] = []
  const errors: unknown[] = []
  const checkout = createHandoff({
    intents: new PaymentIntents({ apiKey, baseUrl: service.url }),
    origin,
    keys: `k1:${Buffer.alloc(32, 'the first key').toString('base64url')}`,
    order: (_request, orderId, context) => {
      contexts.push(context)
      return orderId === 'A-1001' ? order : undefined
    },
    onError: (error) => void errors.push(error),
  })
  return { base: await listen(await mount(checkout, onTestFinished)), service, contexts, errors }
}

async function listen(listener: RequestListener): Promise<string> {
  const { origin, close } = await startSite(listener)
  onTestFinished(close)
  return origin
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

/** Paths of a shop's own that end like the handoff's. */
const foreignPaths = ['/orders/7/status', '/status', '/checkout/thanks', '/checkout/7/handoff']

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
    const { base, errors } = await checkoutFor(
      inExpress(make, (request, _response, next) => {
        request.resume()
        request.on('end', () => next())
      }),
    )
    const response = await post(base, '{"orderId":"A-1001"}')
    expect(response.status).toBe(500)
    expect(await response.json()).toMatchObject({ code: 'body_already_read' })
    expect(errors).toMatchObject([{ code: 'body_already_read', status: 500 }])
  })

  test(`in ${name} other paths go on to the shop's own routes`, async () => {
    const { base } = await checkoutFor((checkout) => {
      const app = make()
      app.use(toExpress(checkout))
      app.use((request, response) => void response.send(`the shop: ${request.originalUrl}`))
      return app
    })
    for (const path of foreignPaths) {
      expect(await (await fetch(base + path)).text()).toBe(`the shop: ${path}`)
    }
    expect((await post(base, '{"orderId":"A-1001"}')).status).toBe(200)
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
  for (const path of foreignPaths) {
    expect(await (await fetch(base + path)).text()).toBe('thank you')
  }
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
  for (const path of foreignPaths) {
    expect(await (await fetch(base + path)).text()).toBe('thank you')
  }
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
    keys: `k1:${Buffer.alloc(32, 'the first key').toString('base64url')}`,
    order: () => order,
    onIntent: (_order, intent) => void stored.push(intent.id),
  })
  const base = await listen(await inExpress(express)(checkout, onTestFinished))
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
    keys: `k1:${Buffer.alloc(32, 'the first key').toString('base64url')}`,
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
  const errors: unknown[] = []
  const checkout = createHandoff({
    intents: new PaymentIntents({ apiKey, baseUrl: 'http://127.0.0.1:1' }),
    origin,
    keys: `k1:${Buffer.alloc(32, 'the first key').toString('base64url')}`,
    order: () => order,
    onError: (error) => void errors.push(error),
  })
  const headers = { origin, 'content-type': 'application/json' }
  const request = new Request(`${origin}/checkout/handoff`, { method: 'POST', headers, body: '{}' })
  await request.text()
  const response = await checkout(request)
  expect(response.status).toBe(500)
  expect(await response.json()).toMatchObject({ code: 'body_already_read' })
  expect(errors).toMatchObject([{ code: 'body_already_read' }])
})

test('toNode returns a 500 when a wrapped handoff rejects, and never rejects itself', async () => {
  const heard = vi.spyOn(console, 'error').mockImplementation(() => {})
  onTestFinished(() => heard.mockRestore())
  const base = await listen(toNode(() => Promise.reject(new Error('broken wrapper'))))
  const response = await post(base, '{}')
  expect([response.status, await response.json()]).toMatchObject([500, { code: 'internal_error' }])
  expect(heard).toHaveBeenCalledWith('pi-checkout handoff:', new Error('broken wrapper'))
})

test('a client that left before the handler was reached holds nothing up', async () => {
  let resolve = (_result: Promise<HandoffResult>): void => {}
  const promise = new Promise<HandoffResult>((settle) => {
    resolve = settle
  })
  const base = await listen((request) => {
    request.on('error', () => {})
    // A session store that takes its time: the client is gone when the handoff gets the request.
    request.on('close', () => {
      const ended = respondToNode({
        handoff: createHandoff({
          intents: new PaymentIntents({ apiKey, baseUrl: 'http://127.0.0.1:1' }),
          origin,
          order: () => order,
        }),
        request,
        parsed: undefined,
        context: undefined,
      })
      resolve(ended)
    })
  })
  const leaving = httpRequest(`${base}/checkout/handoff`, {
    method: 'POST',
    headers: { origin, 'content-type': 'application/json', 'content-length': 20 },
  })
  leaving.on('error', () => {})
  leaving.write('{"orde', () => leaving.destroy())
  expect(JSON.parse((await promise).body)).toMatchObject({ code: 'body_incomplete' })
})
