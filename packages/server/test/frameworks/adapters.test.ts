import { once } from 'node:events'
import { request as httpRequest, IncomingMessage, type RequestListener } from 'node:http'
import { type ClientHttp2Stream, connect, createServer as createHttp2Server } from 'node:http2'
import { type AddressInfo, type Server, Socket } from 'node:net'
import { PassThrough } from 'node:stream'
import { text } from 'node:stream/consumers'
import { inspect } from 'node:util'
import { leaveAtAnyByte } from '@pi-checkout/test-support/leaving-client'
import { startSite } from '@pi-checkout/test-support/sites'
import express, { type RequestHandler } from 'express'
import { expect, onTestFinished, test } from 'vitest'
import { toNode } from '../../src/frameworks/node.ts'
import { captureStderr, origin, type Shop, shop } from '../checkout/shop.ts'
import { expresses, inExpress, inFastify, inKoa, inNode, type Mount, mounts } from './mounts.ts'

const body = '{"orderId":"A-1001"}'
const handedOut = {
  id: expect.stringMatching(/^pi_/),
  clientSecret: expect.any(String),
  orderId: expect.any(String),
}

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
    authorize: async (query) => {
      await new Promise(setImmediate) // Asynchronous, like a database.
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
  expect(await textOf(`${base}/checkout/status?orderId=A-1001`)).toBe(
    '{"phase":"open","orderId":"A-1001"}',
  )
  expect((await post(base, body, { origin: 'https://evil.example' })).status).toBe(403)
  expect((await post(base, '{"orderId":"B-2"}')).status).toBe(404)
  expect((await post(base, `{"orderId":"${'x'.repeat(5000)}"}`)).status).toBe(413)
  expect(service.intents).toHaveLength(1)
})

const passing: [string, Mount][] = [
  ...expresses.map(([name, make]): [string, Mount] => [name, inExpress(make)]),
  ['Koa', inKoa()],
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
  ['Koa', inKoa(), { path: '/checkout/handoff' }],
])(
  '%s: authorize gets its request, and cookies and Vary of the shop stay',
  async (_, mount, context) => {
    const { base, queries } = await startShop(mount)
    const response = await post(base, body)
    expect(response.headers.getSetCookie().map((cookie) => cookie.split('=')[0])).toEqual(['sid'])
    expect(response.headers.get('cache-control')).toBe('no-store, private')
    expect(response.headers.get('vary')).toBe('Accept')
    expect(queries).toMatchObject([{ context }])
  },
)

// The Fetch API has no TRACE.
test.each([
  ['GET', '/checkout/thanks', 404],
  ['TRACE', '/checkout/handoff', 405],
])('node:http: rejects %s %s', async (method, path, status) => {
  const { base } = await startShop(inNode)
  const [response] = await once(httpRequest(base + path, { method }).end(), 'response')
  expect(response.statusCode).toBe(status)
})

const longest = body.padEnd(4096)
test.each([
  ['reads a body in parts', ['{"orderId":', '"A-1001"}'], {}, 200],
  ['reads a body of 4 KB', [longest], {}, 200],
  ['rejects a part after 4 KB', [longest, ' '], {}, 413],
  ['rejects a body of another site', ['{'], { origin: 'https://evil.example' }, 403],
  ['rejects another type', ['{'], { 'content-type': 'text/plain' }, 415],
])('node:http: %s, before it ends if it is rejected', async (_, parts, changed, status) => {
  const { base } = await startShop(inNode)
  const options = { method: 'POST', headers: { ...headers, ...changed } }
  const request = httpRequest(`${base}/checkout/handoff`, options)
  for (const part of parts) request.write(part)
  if (status === 200) request.end()
  const [response] = await once(request, 'response')
  expect(response.statusCode).toBe(status)
  request.destroy()
})

async function urlOf(server: Server): Promise<string> {
  await once(server.listen(0, '127.0.0.1'), 'listening')
  onTestFinished(() => void server.close())
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

test.each([
  ['http://evil.example/checkout/handoff', '/checkout/handoff'],
  ['/checkout/handoff?from=http://evil.example/x', '/checkout/handoff?from=http://evil.example/x'],
])('node:http: hooks get no host that the client chose: %s', async (path, seen) => {
  const { base, queries } = await startShop(inNode)
  const request = httpRequest(base, { method: 'POST', path, headers }).end(body)
  const [response] = await once(request, 'response')
  expect(JSON.parse(await text(response))).toEqual(handedOut)
  expect(queries).toMatchObject([{ request: { url: `http://localhost${seen}` } }])
})

function http2Request(base: string): ClientHttp2Stream {
  const client = connect(base)
  onTestFinished(() => client.close())
  return client.request({ ':method': 'POST', ':path': '/checkout/handoff', ...headers })
}

test('node:http: serves HTTP/2', async () => {
  const { checkout, queries } = await startShop(inNode)
  const server = createHttp2Server(toNode(checkout) as never)
  const response = http2Request(await urlOf(server)).end(body)
  expect(JSON.parse(await text(response))).toEqual(handedOut)
  expect(queries[0]?.request.headers.get('origin')).toBe(origin)
})

test('a buyer who leaves does not abort a create', async () => {
  const { base, payments, service } = await startShop(inExpress(express))
  const client = partialRequest(base)
  client.end(body)
  await expect.poll(() => service.requests.length).toBe(1)
  client.destroy()
  await expect.poll(async () => (await payments()).length).toBe(1)
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
    (middleware) =>
      inKoa(async (ctx, next) => {
        await middleware(ctx.req, ctx.request)
        await next()
      }),
  ],
]

const throwing = { get: () => expect.fail('Invalid JSON') }
const parsedBefore =
  (descriptor: PropertyDescriptor): Middleware =>
  async (message, parsed) => {
    await text(message)
    Object.defineProperty(parsed, 'body', descriptor)
  }
const emitObject: Middleware = (message) => setImmediate(() => message.emit('data', {}))
const readPart: Middleware = (message) => message.method === 'GET' || once(message, 'data')
const circular: { self?: object } = {}
circular.self = circular
const fields = { orderId: 'Ա-7' }
const treatments: readonly [string, Middleware, status: number, code?: string][] = [
  ['does nothing', () => {}, 200],
  ['decodes it as UTF-8', (message) => message.setEncoding('utf8'), 200],
  ['decodes it as hex', (message) => message.setEncoding('hex'), 200],
  ['listens to its parts', (message) => message.on('data', () => {}), 200],
  ['listens to its text', (message) => message.setEncoding('utf8').on('data', () => {}), 200],
  ['listens to "readable"', (message) => message.on('readable', () => {}), 200],
  ['iterates over it', (message) => void text(message), 200],
  ['pauses it', (message) => message.pause(), 200],
  ['pauses it later', (message) => setImmediate(() => message.pause()), 200],
  ['pipes it', (message) => message.pipe(new PassThrough({ highWaterMark: 1 })), 200],
  ['has a getter that throws', (_, parsed) => Object.defineProperty(parsed, 'body', throwing), 200],
  ['has a broken listener', (message) => message.on('data', throwing.get), 500, 'internal_error'],
  ['emits an object', emitObject, 500, 'internal_error'],
  ['reads it', (message) => text(message), 500, 'body_already_read'],
  ['reads a part', readPart, 500, 'body_already_read'],
  ['parsed it', parsedBefore({ value: fields }), 200],
  ['parsed it without a prototype', parsedBefore({ value: { __proto__: null, ...fields } }), 200],
  ['threw at its JSON', parsedBefore(throwing), 400, 'malformed_json'],
  ['parsed an array', parsedBefore({ value: [] }), 400, 'malformed_json'],
  ...[circular, { amount: 1n }, { toJSON: throwing.get }, new Map()].map(
    (value): [string, Middleware, number, string] => [
      `parsed what is no JSON: ${inspect(value)}`,
      parsedBefore({ value }),
      500,
      'body_already_read',
    ],
  ),
]
const treated = hosts.flatMap(([host, mount]) =>
  treatments.map(([name, middleware, ...expected]) => ({
    host,
    name,
    mount: mount(middleware),
    expected,
  })),
)
test.each(treated)('$host: a body that comes late, if middleware $name', async (one) => {
  const { base, rows, queries, errors } = await startShop(one.mount)
  rows.set(fields.orderId, { orderId: 'A-1001', amount: 100, currency: 'AMD' })
  const get = await fetch(`${base}/checkout/status?orderId=A-1001`, { headers })
  expect(await get.text()).toBe('{"phase":"open","orderId":"A-1001"}')
  const options = { method: 'POST', headers: { ...headers, expect: '100-continue' } }
  const client = httpRequest(`${base}/checkout/handoff`, options)
  const responded = once(client, 'response')
  client.flushHeaders()
  // The server sends it when it passes the request to the middleware.
  await once(client, 'continue')
  client.end(JSON.stringify(fields))
  const [response] = await responded
  const { code } = JSON.parse(await text(response))
  expect([response.statusCode, code]).toEqual([one.expected[0], one.expected[1]])
  expect(errors).toMatchObject(code ? [{ code }] : [])
  expect(queries).toHaveLength(code ? 1 : 2)
})

test.each(expresses)(
  '%s: serves a request that an adapter of a function platform made',
  async (_, make) => {
    const { base } = await startShop((checkout) => {
      const app = make().use(make.json(), toNode(checkout))
      return ({ method, url, headers }, response) => {
        // As serverless-http does it on AWS Lambda: the raw headers are empty.
        const request = new IncomingMessage(new Socket())
        Object.assign(request, { method, url, headers })
        request.push(body)
        request.push(null)
        app(request, response)
      }
    })
    expect(await (await post(base, body)).json()).toEqual(handedOut)
  },
)

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

const broken = new Error('broken wrapper')
test('toNode returns a 500 if a function around a checkout rejects', async () => {
  const stderr = captureStderr()
  const around = Object.assign(() => Promise.reject(broken), { basePath: '/checkout' })
  expect((await post(await listen(toNode(around)), '{}')).status).toBe(500)
  expect(stderr).toHaveBeenCalledWith('pi-checkout:', broken)
})

test('toNode reports a response that middleware has broken, and ends the connection', async () => {
  const stderr = captureStderr()
  const { base } = await startShop((checkout) => (request, response) => {
    response.setHeader = () => expect.fail('broken patch')
    void toNode(checkout)(request, response)
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

const head = `HTTP/1.1
Host: shop.example
Origin: ${origin}
Content-Type: application/json
Connection: close
`
const requests = [
  `POST /checkout/handoff ${head}Content-Length: ${body.length}\n\n${body}`,
  `POST /checkout/handoff ${head}Transfer-Encoding: chunked\n\n7\n{"order\nd\nId":"A-1001"}\n0\n\n`,
  `GET /checkout/status?orderId=A-1001 ${head}\n`,
].map((lines) => lines.replaceAll('\n', '\r\n'))

// Koa itself prints a connection that breaks.
const leaving = [...mounts].filter(([name]) => name !== 'Koa in a mount')
// An unhandled error in this process fails the run.
test.each(leaving)('%s: survives clients that leave at any byte', async (_, mount) => {
  const stderr = captureStderr()
  const { base, errors } = await startShop(mount)
  const serves = async () => expect((await post(base, body)).status).toBe(200)
  await leaveAtAnyByte({ port: Number(new URL(base).port), requests, serves })
  expect([errors, stderr.mock.calls]).toEqual([[], []])
})
