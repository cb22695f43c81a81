import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { Agent, type IncomingMessage, request } from 'node:http'
import { text } from 'node:stream/consumers'
import { orderedBuyer } from '@pi-checkout/test-support/demo-buyer'
import { rawRequest, statusOf } from '@pi-checkout/test-support/raw-http'
import { startStack } from '@pi-checkout/test-support/stack'
import { test as base, expect } from '@playwright/test'
import fc from 'fast-check'
import { retrieve } from '../fixtures/api.ts'
import { cases, countStatuses, fuzz } from '../fixtures/fuzz.ts'
import { type Stack, workerFixture } from '../fixtures/test-stack.ts'
import { ascii, jsonNear, tokenNear } from './inputs.ts'

/** A separate stack: the inputs leave data and used-up limits. */
const test = base.extend<object, { stack: Stack }>({
  stack: workerFixture(() => startStack({ probed: true })),
})

// One stack for all targets, which are measured one after the other.
test.describe.configure({ mode: 'default' })
test.setTimeout(60_000 + cases * 30)

test('create withstands every JSON text (threats 19, 23, 24, 25, 26, 28, 29)', async ({
  stack,
}) => {
  const headers = {
    host: new URL(stack.api.baseUrl).host,
    authorization: `Bearer ${stack.api.apiKey}`,
    'content-type': 'application/json',
  }
  const tally = await fuzz({
    name: 'create',
    program: stack.service,
    inputs: jsonNear({
      orderId: 'A-1',
      amount: 150_000,
      currency: 'amd',
      metadata: { a: 'b' },
      customer: { id: 'c1', email: 'a@example.com' },
    }),
    lanes: connectionsTo(stack.api.baseUrl),
    send: async (body, connection) => {
      const response = await connection.send('POST /payment-intents', headers, body)
      return checkResponse(response, [201, 400])
    },
  })
  expect(tally.get(201)).toBeGreaterThan(cases / 20)
  await expectRunning(stack)
})

test('the service withstands every header line and path (threats 11, 21, 28, 30)', async ({
  stack,
}) => {
  const { port } = new URL(stack.api.baseUrl)
  const names = [
    'Authorization',
    'Idempotency-Key',
    'Content-Type',
    'Transfer-Encoding',
    'Connection',
    'Host',
    'Origin',
    'Referer',
    'Cookie',
    'Expect',
    'Sec-Fetch-Site',
    'X-Forwarded-For',
    'X',
  ]
  const key = `Bearer ${stack.api.apiKey}`
  const value = fc.oneof(ascii(60), fc.constantFrom(key, '', '0', 'chunked', '100-continue'))
  const length = fc.constantFrom('0', '5', '05', '-1', '+3', '3, 3', '0x5', '1e1', '99999999', ' ')
  const heads = fc.record({
    method: fc.constantFrom('GET', 'GET', 'POST', 'HEAD', 'OPTIONS', 'PUT', 'get', 'X'),
    path: fc.oneof(
      fc.constantFrom('/payment-intents', '/checkout/pi_x', '/checkout-api/session', '/_sandbox/'),
      fc
        .tuple(fc.constantFrom('/payment-intents/', '/checkout/', '/'), ascii(40))
        .map(([at, rest]) => at + rest),
      fc.webPath().map((path) => `/payment-intents${path}`),
      fc.webUrl(),
    ),
    lines: fc.oneof(
      {
        weight: 3,
        arbitrary: fc.array(
          fc.oneof(
            { weight: 9, arbitrary: fc.tuple<[string, string]>(fc.constantFrom(...names), value) },
            {
              weight: 1,
              arbitrary: fc.tuple<[string, string]>(fc.constant('Content-Length'), length),
            },
          ),
          { maxLength: 5 },
        ),
      },
      // Most odd lines are rejected with the head; without one, the path is checked.
      { weight: 1, arbitrary: fc.constant<[string, string][]>([]) },
    ),
    authorized: fc.boolean(),
  })
  const tally = await fuzz({
    name: 'headers',
    program: stack.service,
    inputs: heads,
    lanes: Array.from({ length: 32 }),
    send: async ({ method, path, lines, authorized }) => {
      const response = await rawRequest(port, [
        `${method} ${path} HTTP/1.1`,
        `Host: 127.0.0.1:${port}`,
        'Connection: close',
        ...(authorized ? [`Authorization: ${key}`] : []),
        ...lines.map(([name, value]) => `${name}: ${value}`),
        // The end of a chunked body, and enough for every announced length.
        ...(lines.length > 0 ? ['', '0'] : []),
        '',
        '',
      ])
      const status = statusOf(response)
      // RFC 9112, section 6.1: an unknown transfer coding is a 501.
      const isCoded = lines.some((line) => line[0] === 'Transfer-Encoding')
      const isFailure = status >= 500 && !(status === 501 && isCoded)
      if (status === 0 || isFailure) throw new Error(`returned ${response.slice(0, 500)}`)
      return checkInternals(status, response)
    },
  })
  expect(countStatuses(tally, (status) => status !== 400)).toBeGreaterThan(cases / 10)
  await expectRunning(stack)
})

test('the handoff withstands every body and cookie, and returns the order’s own intent (threats 23, 36, 37, 39)', async ({
  stack,
}) => {
  // Each eighth input is sent in a session with an order, which the shop gives ten handoffs.
  const perSession = 8
  const buyers = await Promise.all(
    Array.from({ length: Math.ceil(cases / 8 / perSession) }, () => orderedBuyer(stack)),
  )
  const [first] = buyers
  const { host } = new URL(stack.shopUrl)
  let turn = 0
  const handoffs = new Set<string>()
  const tally = await fuzz({
    name: 'handoff',
    program: stack.shop,
    inputs: fc.record({
      body: jsonNear({ orderId: first?.orderId }),
      cookie: tokenNear(first?.session ?? ''),
      owned: fc.boolean(),
    }),
    lanes: connectionsTo(stack.shopUrl),
    send: async ({ body, cookie, owned }, connection) => {
      const buyer = turn % 8 === 0 ? buyers[Math.floor(turn / 8 / perSession)] : undefined
      turn++
      const session = buyer?.session ?? randomBytes(32).toString('base64url')
      const headers = {
        host,
        origin: stack.shopUrl,
        'content-type': 'application/json',
        cookie: `sid=${session}; sid=${cookie}`,
      }
      const sent = buyer && owned ? JSON.stringify({ orderId: buyer.orderId }) : body
      const response = await connection.send('POST /checkout/handoff', headers, sent)
      if (response.status === 200) handoffs.add(JSON.parse(response.body).id)
      return checkResponse(response, [200, 400, 404, 413])
    },
  })
  expect(tally.get(200)).toBeGreaterThan(cases / 50)
  const own = await Promise.all(buyers.map(async (buyer) => (await buyer.handoff()).id))
  expect([...handoffs].filter((id) => !own.includes(id))).toEqual([])
})

test('the checkout’s private API withstands every path, token, and body (threats 13, 58, 59, 63, 64)', async ({
  stack,
}) => {
  const buyers = await Promise.all(Array.from({ length: 8 }, () => orderedBuyer(stack)))
  const handoffs = await Promise.all(buyers.map((buyer) => buyer.handoff()))
  const tokens = await Promise.all(
    buyers.map(async ({ page }, at) => {
      const session = await page.open(handoffs[at] ?? { id: '', clientSecret: '' })
      return session.token
    }),
  )
  const [handoff] = handoffs
  const card = { number: '4000000000000002', expMonth: 12, expYear: 2034, cvc: '123' }
  const bodies = {
    session: jsonNear({ ...handoff, origin: stack.shopUrl }),
    confirm: jsonNear({
      confirmationId: '0123456789abcdef',
      version: 1,
      paymentMethod: { type: 'card', card },
    }),
    'challenge/open': jsonNear({ returnUrl: `${stack.shopUrl}/x` }),
    'challenge/cancel': jsonNear({ extra: 1 }),
    cancel: jsonNear({ extra: 1 }),
  }
  const post = fc.oneof(
    ...Object.entries(bodies).map(([path, body]) =>
      fc.record({ line: fc.constant(`POST /checkout-api/${path}`), body }),
    ),
  )
  const get = fc.record({
    line: fc
      .oneof(
        fc.webQueryParameters().map((query) => `intent?${query}`),
        // The service would wait for a later version.
        fc
          .constantFrom('0', '1', '-1', '1e9', 'x', '%00', '')
          .map((at) => `intent?waitForVersion=${at}`),
        fc.webPath().map((path) => path.slice(1)),
      )
      .map((path) => `GET /checkout-api/${path}`),
    body: fc.constant(''),
  })
  const tally = await fuzz({
    name: 'private API',
    program: stack.service,
    inputs: fc.record({
      sent: fc.oneof({ weight: 3, arbitrary: post }, { weight: 1, arbitrary: get }),
      token: fc.oneof(...tokens.map(tokenNear)),
    }),
    lanes: connectionsTo(stack.api.baseUrl),
    send: async ({ sent, token }, connection) => {
      const headers = {
        host: new URL(stack.api.baseUrl).host,
        origin: stack.api.baseUrl,
        authorization: `Bearer ${token}`,
        'content-type': 'application/json',
      }
      const response = await connection.send(sent.line, headers, sent.body)
      return checkResponse(response, [200, 400, 401, 403, 404, 405, 409, 413, 429])
    },
    // A challenge opens at most twenty times a minute, which is a limit of the target itself.
    isReached: () => true,
  })
  expect(countStatuses(tally, (status) => ![401, 404, 429].includes(status))).toBeGreaterThan(
    cases / 5,
  )
  await expectRunning(stack)
})

test('the test bank withstands every form, and none settles a challenge (threat 62)', async ({
  stack,
}) => {
  const buyer = await orderedBuyer(stack)
  await buyer.page.open(await buyer.handoff())
  await buyer.page.pay('4000000000003220')
  const { url, token } = await buyer.page.openChallenge()
  const bank = new URL(url)
  const field = fc.tuple(
    fc.constantFrom('token', 'code', 'action', 'locale', '__proto__', 'token[]', 'x'),
    fc.oneof(
      tokenNear(token).filter((text) => text !== token),
      fc.constantFrom('1234', 'cancel', 'confirm', 'hy', 'ru', '%', '%ff', '+', '&=&'),
      fc.string({ unit: 'binary', maxLength: 40 }),
    ),
  )
  const form = fc
    .array(field, { maxLength: 12 })
    .map((fields) => fields.map(([name, value]) => `${name}=${encoded(value)}`).join('&'))
  const tally = await fuzz({
    name: 'bank',
    program: stack.service,
    inputs: fc.record({
      path: fc.constantFrom('/challenge', '/challenge/answer', '/bank', '/bank/answer'),
      body: fc.oneof(form, form, form, ascii(200)),
      script: fc.boolean(),
    }),
    lanes: connectionsTo(bank.origin),
    send: async ({ path, body, script }, connection) => {
      const headers = {
        host: bank.host,
        accept: script ? 'application/json' : 'text/html',
        'content-type': 'application/x-www-form-urlencoded',
      }
      const response = await connection.send(`POST ${path}`, headers, body)
      return checkResponse(response, [200, 400, 413])
    },
  })
  expect(tally.get(200)).toBeGreaterThan(cases / 5)
  expect(await buyer.phase()).not.toBe('paid')
  await expectRunning(stack)
})

interface Connection {
  send(line: string, headers: Readonly<Record<string, string>>, body: string): Promise<Reply>
}

interface Reply {
  readonly status: number
  readonly body: string
}

function connectionsTo(url: string): readonly Connection[] {
  return Array.from({ length: 16 }, () => connectionTo(new URL(url).port))
}

function connectionTo(port: string): Connection {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 })
  const host = { agent, host: '127.0.0.1', port }
  return {
    send: async (line, headers, body) => {
      const [method, path] = line.split(' ')
      const signal = AbortSignal.timeout(10_000)
      const sent = request({ ...host, method, path, headers, signal }).end(body)
      const [response] = (await once(sent, 'response')) as [IncomingMessage]
      return { status: response.statusCode ?? 0, body: await text(response) }
    },
  }
}

/** Without `expect`, which records a step for each call. */
function checkResponse({ status, body }: Reply, expected: readonly number[]): number {
  if (!expected.includes(status)) throw new Error(`returned ${status}: ${body.slice(0, 500)}`)
  return checkInternals(status, body)
}

function checkInternals(status: number, text: string): number {
  if (!/node_modules|\n {4}at |at .*\.js:\d+/.test(text)) return status
  throw new Error(`returned ${status} with a stack trace: ${text.slice(0, 500)}`)
}

function encoded(text: string): string {
  // A lone surrogate has no encoding: it is sent as one more odd byte.
  return text.isWellFormed() ? encodeURIComponent(text) : escape(text)
}

async function expectRunning(stack: Stack): Promise<void> {
  expect((await retrieve(stack, 'pi_x')).status).toBe(404)
}
