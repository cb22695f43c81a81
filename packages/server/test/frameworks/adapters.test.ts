import { once } from 'node:events'
import {
  createServer,
  request as httpRequest,
  type IncomingMessage,
  type RequestListener,
} from 'node:http'
import { type ClientHttp2Stream, connect, createServer as createHttp2Server } from 'node:http2'
import type { AddressInfo, Server } from 'node:net'
import { PassThrough, type Readable } from 'node:stream'
import { text } from 'node:stream/consumers'
import { setTimeout as sleep } from 'node:timers/promises'
import { inspect } from 'node:util'
import { startSite } from '@pi-checkout/test-support/sites'
import express, { type RequestHandler } from 'express'
import Koa from 'koa'
import { expect, onTestFinished, test } from 'vitest'
import { toKoa, toNode } from '../../src/frameworks/node.ts'
import { captureStderr, origin, type Shop, shop } from '../checkout/shop.ts'
import { expresses, inExpress, inFastify, inKoa, type Mount, mounts } from './mounts.ts'

const body = '{"orderId":"A-1001"}'
const handedOut = { id: expect.stringMatching(/^pi_/), clientSecret: expect.any(String) }

async function listen(listener: RequestListener): Promise<string> {
  const { origin, close } = await startSite(listener)
  onTestFinished(close)
  return origin
}

interface Mounted extends Shop {
  readonly base: string
  /** What `authorize` got. */
  readonly queries: { readonly request: Request; readonly context: unknown }[]
}

async function startShop(mount: Mount): Promise<Mounted> {
  const queries: Mounted['queries'][number][] = []
  const mounted = shop({
    authorize: (query) => {
      queries.push(query)
      return mounted.rows.has(query.orderId ?? 'A-1001') ? 'A-1001' : undefined
    },
  })
  return { ...mounted, queries, base: await listen(await mount(mounted.checkout, onTestFinished)) }
}

const headers = { origin, 'content-type': 'application/json' }

function post(base: string, body: string, more: Record<string, string> = {}): Promise<Response> {
  const init = { method: 'POST', headers: { ...headers, ...more }, body }
  return fetch(`${base}/checkout/handoff`, init)
}

async function textOf(url: string): Promise<string> {
  return (await fetch(url)).text()
}

/** A client that sends a part of a request. */
function partialRequest(base: string) {
  const options = { method: 'POST', headers: { ...headers, 'content-length': body.length } }
  return httpRequest(`${base}/checkout/handoff`, options).on('error', () => {})
}

/** Paths of a shop that end like the routes of the checkout. */
const otherPaths = ['/orders/7/status', '/status', '/checkout/thanks', '/checkout/7/handoff']

test.each([...mounts])('%s: serves the pages of the shop only', async (_, mount) => {
  const { base, service } = await startShop(mount)
  const first = await post(base, body)
  expect([first.status, await first.json()]).toEqual([200, handedOut])
  expect(first.headers.get('cache-control')).toBe('no-store, private')
  expect((await post(base, body)).status).toBe(200)
  expect(await textOf(`${base}/checkout/status?orderId=A-1001`)).toBe('{"phase":"open"}')
  expect((await post(base, body, { origin: 'https://evil.example' })).status).toBe(403)
  expect((await post(base, '{"orderId":"B-2"}')).status).toBe(404)
  expect((await post(base, `{"orderId":"${'x'.repeat(5000)}"}`)).status).toBe(413)
  const asked = { origin, 'access-control-request-method': 'POST' }
  const preflight = await fetch(`${base}/checkout/handoff`, { method: 'OPTIONS', headers: asked })
  expect([preflight.status, preflight.headers.get('access-control-allow-origin')]).toEqual([
    204,
    origin,
  ])
  expect(service.intents).toHaveLength(1)
})

const passing: [string, Mount][] = [
  ...expresses.map(([name, make]): [string, Mount] => [
    name,
    (checkout) =>
      make()
        .use(toNode(checkout))
        .use((_request, response) => void response.send('thank you')),
  ]),
  ['Koa', inKoa(true)],
  [
    'node:http with next',
    (checkout) => (request, response) => {
      void toNode(checkout)(request, response, () => void response.end('thank you'))
    },
  ],
]
test.each(passing)('%s: passes other paths on to the routes of the shop', async (_, mount) => {
  const { base } = await startShop(mount)
  for (const path of otherPaths) expect(await textOf(base + path)).toBe('thank you')
  expect((await post(base, body)).status).toBe(200)
})

test('node:http: responds with a 404 to other paths without next', async () => {
  const { base } = await startShop((checkout) => toNode(checkout))
  expect((await fetch(`${base}/checkout/thanks`)).status).toBe(404)
})

const addCookie: RequestHandler = (request, response, next) => {
  Object.assign(request, { user: 'ani' })
  response.cookie('sid', '1').vary('Accept').setHeader('cache-control', 'public')
  next()
}
test.each<[string, Mount, object]>([
  ...expresses.map(([name, make]): [string, Mount, object] => [
    name,
    inExpress(make, addCookie),
    { user: 'ani', originalUrl: '/checkout/handoff' },
  ]),
  ['Fastify', inFastify, { routeOptions: { url: '/checkout/*' } }],
  ['Koa', inKoa(true), { path: '/checkout/handoff' }],
])(
  '%s: authorize gets its request, and cookies and Vary of the shop stay',
  async (_, mount, context) => {
    const { base, queries } = await startShop(mount)
    const response = await post(base, body)
    expect(response.headers.getSetCookie().map((cookie) => cookie.split('=')[0])).toEqual(['sid'])
    expect(response.headers.get('cache-control')).toBe('no-store, private')
    expect(response.headers.get('vary')).toBe('Accept, Origin')
    expect(queries).toMatchObject([{ context }])
  },
)

test('node:http: rejects TRACE, which the Fetch API does not have', async () => {
  const { base } = await startShop((checkout) => toNode(checkout))
  const request = httpRequest(`${base}/checkout/handoff`, { method: 'TRACE' }).end()
  const [{ statusCode }] = await once(request, 'response')
  expect(statusCode).toBe(405)
})

const longest = '{"orderId":"A-1001"}'.padEnd(4096)
test.each([
  ['in parts', ['{"orderId":', '"A-1001"}'], 200],
  ['of 4 KB', [longest], 200],
  ['whose part after 4 KB comes late', [longest, ' '], 413],
])('node:http: reads a body %s', async (_, parts, status) => {
  const { base } = await startShop((checkout) => toNode(checkout))
  const request = httpRequest(`${base}/checkout/handoff`, { method: 'POST', headers })
  for (const part of parts) request.write(part)
  const [response] = await once(request.end(), 'response')
  expect(response.statusCode).toBe(status)
})

test.each([
  ['a body that is too large', `${longest} `, {}, 413],
  ['a body of another site', '{', { origin: 'https://evil.example' }, 403],
  ['a form', '{', { 'content-type': 'application/x-www-form-urlencoded' }, 415],
])('node:http: rejects %s before it ends', async (_, part, changed, status) => {
  const { base } = await startShop((checkout) => toNode(checkout))
  const options = { method: 'POST', headers: { ...headers, ...changed } }
  const request = httpRequest(`${base}/checkout/handoff`, options)
  request.write(part)
  const [response] = await once(request, 'response')
  expect(response.statusCode).toBe(status)
  request.destroy()
})

async function urlOf(server: Server): Promise<string> {
  await once(server.listen(0, '127.0.0.1'), 'listening')
  onTestFinished(() => void server.close())
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

/** The same request in forms that hooks must not see: with a host that the client chose, and with pseudo-headers. */
const oddRequests: Readonly<Record<string, (base: string) => Promise<Readable>>> = {
  'an address in absolute form': async (base) => {
    const path = 'http://evil.example/checkout/handoff'
    const request = httpRequest(base, { method: 'POST', path, headers }).end(body)
    return (await once(request, 'response'))[0]
  },
  'an address in the query': async (base) => {
    const query = '?from=http://evil.example/x'
    const request = httpRequest(`${base}/checkout/handoff${query}`, { method: 'POST', headers })
    return (await once(request.end(body), 'response'))[0]
  },
  'HTTP/2': async (base) => http2Request(base).end(body),
}

function http2Request(base: string): ClientHttp2Stream {
  const client = connect(base)
  onTestFinished(() => client.close())
  return client.request({ ':method': 'POST', ':path': '/checkout/handoff', ...headers })
}
test.each(Object.entries(oddRequests))(
  'node:http: authorize gets a Request for %s',
  async (form, send) => {
    const { checkout, queries } = await startShop(() => () => {})
    const handle = toNode(checkout)
    const server = form === 'HTTP/2' ? createHttp2Server(handle as never) : createServer(handle)
    const response = await send(await urlOf(server))
    expect(JSON.parse(await text(response))).toEqual(handedOut)
    const query = form === 'an address in the query' ? '?from=http://evil.example/x' : ''
    expect(queries).toMatchObject([
      { request: { url: `http://localhost/checkout/handoff${query}` } },
    ])
    expect(queries[0]?.request.headers.get('origin')).toBe(origin)
  },
)

test('a buyer who leaves does not abort a create', async () => {
  const { base, record, service } = await startShop((checkout) =>
    inExpress(express)(checkout, onTestFinished),
  )
  const client = partialRequest(base)
  client.end(body)
  await expect.poll(() => service.requests.length).toBe(1)
  client.destroy()
  await expect.poll(async () => (await record())?.payments.length).toBe(1)
})

/** What other middleware does with a request before the checkout. `parsed` is where a body parser stores the body. */
type Middleware = (message: IncomingMessage, parsed: object) => unknown

const hosts: [string, (middleware: Middleware) => Mount][] = [
  [
    'node:http',
    (middleware) => (checkout) => async (request, response) => {
      await middleware(request, request)
      await toNode(checkout)(request, response)
    },
  ],
  ...expresses.map(([name, make]): [string, (middleware: Middleware) => Mount] => [
    name,
    (middleware) =>
      inExpress(make, async (request, _response, next) => {
        await middleware(request, request)
        next()
      }),
  ]),
  [
    'Koa',
    (middleware) => (checkout) => {
      const app = new Koa().use(async (ctx, next) => {
        await middleware(ctx.req, ctx.request)
        await next()
      })
      return app.use(toKoa(checkout)).callback()
    },
  ],
]

const throwing = { get: () => expect.fail('Invalid JSON') }
const parsedBefore =
  (descriptor: PropertyDescriptor): Middleware =>
  async (message, parsed) => {
    await text(message)
    Object.defineProperty(parsed, 'body', descriptor)
  }
const circular: { self?: object } = {}
circular.self = circular
const fields = { orderId: 'Ա-7' }
const treatments: readonly [string, Middleware, status: number, code?: string][] = [
  ['does nothing', () => {}, 200],
  ['decodes it as UTF-8', (message) => message.setEncoding('utf8'), 200],
  ['decodes it as Latin-1', (message) => message.setEncoding('latin1'), 200],
  ['decodes it as hex', (message) => message.setEncoding('hex'), 200],
  ['listens to its parts', (message) => message.on('data', () => {}), 200],
  ['listens to its text', (message) => message.setEncoding('utf8').on('data', () => {}), 200],
  ['listens to "readable"', (message) => message.on('readable', () => {}), 200],
  ['iterates over it', (message) => void text(message), 200],
  ['pauses it', (message) => message.pause(), 200],
  ['pauses it later', (message) => setTimeout(() => message.pause(), 20), 200],
  ['pipes it', (message) => message.pipe(new PassThrough({ highWaterMark: 1 })), 200],
  ['has a getter that throws', (_, parsed) => Object.defineProperty(parsed, 'body', throwing), 200],
  ['has a broken listener', (message) => message.on('data', throwing.get), 500, 'internal_error'],
  [
    'emits an object',
    (message) => setTimeout(() => message.emit('data', {})),
    500,
    'internal_error',
  ],
  ['reads it', (message) => text(message), 500, 'body_already_read'],
  [
    'reads a part',
    (message) => message.method === 'GET' || once(message, 'data'),
    500,
    'body_already_read',
  ],
  ['parsed it', parsedBefore({ value: fields }), 200],
  ['parsed it without a prototype', parsedBefore({ value: { __proto__: null, ...fields } }), 200],
  ['parsed it as text', parsedBefore({ value: JSON.stringify(fields) }), 200],
  ['parsed it as bytes', parsedBefore({ value: Buffer.from(JSON.stringify(fields)) }), 200],
  ['threw at its JSON', parsedBefore(throwing), 400, 'malformed_json'],
  ['parsed an array', parsedBefore({ value: [] }), 400, 'malformed_json'],
  ...[circular, { amount: 1n }, { toJSON: throwing.get }, new Map(), new ArrayBuffer(2)].map(
    (value): [string, Middleware, number, string] => [
      `parsed what is no JSON: ${inspect(value)}`,
      parsedBefore({ value }),
      500,
      'body_already_read',
    ],
  ),
]
const treated = hosts.flatMap(([host, mount]) =>
  treatments.map(([name, middleware, status, code]) => ({
    host,
    name,
    mount: mount(middleware),
    expected: [status, code],
  })),
)
test.each(treated)('$host: a body that comes late, if middleware $name', async (one) => {
  const { base, rows, queries, errors } = await startShop(one.mount)
  rows.set(fields.orderId, { orderId: 'A-1001', amount: 100, currency: 'AMD' })
  const get = await fetch(`${base}/checkout/status?orderId=A-1001`, { headers })
  expect(await get.text()).toBe('{"phase":"open"}')
  const client = httpRequest(`${base}/checkout/handoff`, { method: 'POST', headers })
  const responded = once(client, 'response')
  client.flushHeaders()
  await sleep(50)
  client.end(JSON.stringify(fields))
  const [response] = await responded
  const { code } = JSON.parse(await text(response))
  expect([response.statusCode, code]).toEqual(one.expected)
  expect(errors).toMatchObject(code ? [{ code }] : [])
  expect(queries).toHaveLength(code ? 1 : 2)
})

test('toNode sends nothing if other middleware has responded', async () => {
  const handled: Promise<void>[] = []
  const handle = toNode(shop().checkout)
  const base = await listen((request, response) => {
    response.write('the ')
    handled.push(handle(request, response).finally(() => response.end('shop')))
  })
  expect(await (await post(base, '{')).text()).toBe('the shop')
  expect(await Promise.all(handled)).toEqual([undefined])
})

test('toNode returns a 500 if a function around a checkout rejects', async () => {
  const stderr = captureStderr()
  const around = Object.assign(() => Promise.reject(new Error('broken wrapper')), {
    basePath: '/checkout',
  })
  const response = await post(await listen(toNode(around)), '{}')
  expect([response.status, await response.json()]).toMatchObject([500, { code: 'internal_error' }])
  expect(stderr).toHaveBeenCalledWith('pi-checkout:', new Error('broken wrapper'))
})

test('toNode reports a response that middleware has broken, and ends the connection', async () => {
  const stderr = captureStderr()
  const handle = toNode(shop().checkout)
  const base = await listen((request, response) => {
    response.setHeader = () => expect.fail('broken patch')
    void handle(request, response)
  })
  await expect(post(base, body)).rejects.toThrow('fetch failed')
  expect(stderr.mock.calls).toMatchObject([['pi-checkout:', { message: 'broken patch' }]])
})

test('an HTTP/2 client that leaves halfway is not reported', async () => {
  const { checkout, errors } = shop()
  const handled: Promise<void>[] = []
  const handle = toNode(checkout)
  const server = createHttp2Server((request, response) => {
    handled.push(handle(request as never, response as never))
  })
  const client = http2Request(await urlOf(server)).on('error', () => {})
  client.write('{"orde')
  await expect.poll(() => handled.length).toBe(1)
  client.destroy()
  expect([await Promise.all(handled), errors]).toEqual([[undefined], []])
})

// `clients-that-leave.test.ts` has those that disconnect later.
test('a client that has disconnected before the checkout is called does not block it', async () => {
  const handled: Promise<void>[] = []
  const handle = toNode(shop().checkout)
  const base = await listen((request, response) => {
    // Like a slow session store: the client has disconnected when the checkout gets the request.
    request.on('error', () => {}).on('close', () => handled.push(handle(request, response)))
  })
  const client = partialRequest(base)
  client.write('{"orde', () => client.destroy())
  await expect.poll(() => handled.length).toBe(1)
  expect(await Promise.all(handled)).toEqual([undefined])
})
