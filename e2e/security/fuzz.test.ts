import { randomBytes } from 'node:crypto'
import { test as base, expect } from '@playwright/test'
import fc from 'fast-check'
import { cases, fuzz, sum } from '../fixtures/fuzz.ts'
import { HttpBuyer } from '../fixtures/http-buyer.ts'
import { Line, type RawAnswer, requestOf } from '../fixtures/keep-alive.ts'
import { exchange } from '../fixtures/raw.ts'
import { startWorld, type World } from '../fixtures/world.ts'
import { ascii, jsonNear, tokenNear } from './inputs.ts'

/** A house of its own: nobody else's test meets what is left of the inputs. */
const test = base.extend<object, { world: World }>({
  world: [
    // biome-ignore lint/correctness/noEmptyPattern: Playwright reads the fixtures off this pattern
    async ({}, use) => {
      const world = await startWorld({ probed: true })
      await use(world)
      await world.stop()
    },
    { scope: 'worker', timeout: 180_000 },
  ],
})

// One world for all doors; they are measured one after the other.
test.describe.configure({ mode: 'default' })
test.setTimeout(60_000 + cases * 30)

test('no JSON text crashes the API, holds it up, fills it or gets a 5xx (threats 19, 23, 24, 25, 26, 28, 29)', async ({
  world,
}) => {
  const lines = linesTo(world.api.baseUrl, 16)
  const tally = await fuzz({
    name: 'create',
    program: world.service,
    inputs: jsonNear([
      ['orderId', '"A-1"'],
      ['amount', '150000'],
      ['currency', '"amd"'],
      ['customer', '{"id":"c1","email":"a@example.com"}'],
      ['metadata', '{"a":"b"}'],
    ]),
    lanes: lines.length,
    tryOne: async (body, { lane }) =>
      refusedWell(
        await lines[lane]?.send(requestOf('POST /payment-intents', jsonHeaders(world), body)),
        [201, 400],
      ),
  })
  expect(tally.get(201)).toBeGreaterThan(cases / 20)
  await expectAlive(world)
})

test('no header line or path on a raw socket crashes the service, holds it up or gets a 5xx (threats 11, 21, 28, 30)', async ({
  world,
}) => {
  const { port } = new URL(world.api.baseUrl)
  const names = [
    ...['Authorization', 'Idempotency-Key', 'Content-Type', 'Transfer-Encoding', 'Connection'],
    ...['Host', 'Origin', 'Referer', 'Cookie', 'Expect', 'Sec-Fetch-Site', 'X-Forwarded-For', 'X'],
  ]
  const key = `Bearer ${world.api.apiKey}`
  const value = fc.oneof(ascii(60), fc.constantFrom(key, '', '0', 'chunked', '100-continue'))
  const length = fc.constantFrom('0', '5', '05', '-1', '+3', '3, 3', '0x5', '1e1', '99999999', ' ')
  const request = fc.record({
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
      // Most odd lines end at the check of the head; without any, the path is reached.
      { weight: 1, arbitrary: fc.constant<[string, string][]>([]) },
    ),
    authorised: fc.boolean(),
  })
  const tally = await fuzz({
    name: 'headers',
    program: world.service,
    inputs: request,
    lanes: 32,
    tryOne: async ({ method, path, lines, authorised }) => {
      const answer = await exchange(port, [
        `${method} ${path} HTTP/1.1`,
        ...[`Host: 127.0.0.1:${port}`, 'Connection: close'],
        ...(authorised ? [`Authorization: ${key}`] : []),
        ...lines.map(([name, value]) => `${name}: ${value}`),
        // The end of a body in chunks, and enough for every length that is announced.
        ...(lines.length > 0 ? ['', '0'] : []),
        ...['', ''],
      ])
      const status = Number(/^HTTP\/1\.1 (\d{3})/.exec(answer)?.[1] ?? 0)
      // RFC 9112, section 6.1: an unknown transfer coding is a 501.
      const isCoded = lines.some((line) => line[0] === 'Transfer-Encoding')
      const isFailure = status >= 500 && !(status === 501 && isCoded)
      if (status === 0 || isFailure) throw new Error(`answered ${answer.slice(0, 500)}`)
      return withoutInsides(status, answer)
    },
  })
  expect(sum(tally, (status) => status !== 400)).toBeGreaterThan(cases / 10)
  await expectAlive(world)
})

test('no body or cookie crashes the handoff, holds it up, gets a 5xx or another order’s intent (threats 23, 36, 37, 39)', async ({
  world,
}) => {
  const buyers = await Promise.all(Array.from({ length: 4 }, () => orderedBuyer(world)))
  const [first] = buyers
  const lanes = 16
  const addresses = addressesOfLoopback()
  // The shop takes 300 in ten minutes from an address, and ten of a visitor at one address.
  const perAddress = 240
  const visitorEach = 8
  const lane = Array.from({ length: lanes }, () => ({ line: lineFrom(), used: 0 }))
  const handed = new Set<string>()
  const tally = await fuzz({
    name: 'handoff',
    program: world.shop,
    inputs: fc.record({
      body: jsonNear([['orderId', JSON.stringify(first?.order)]]),
      seal: tokenNear(first?.cookie('pi-handoff') ?? ''),
      owned: fc.boolean(),
    }),
    lanes,
    tryOne: async ({ body, seal, owned }, { lane: number }) => {
      const own = lane[number] ?? { line: lineFrom(), used: 0 }
      if (own.used === perAddress) {
        own.line.close()
        Object.assign(own, { line: lineFrom(), used: 0 })
      }
      const turn = own.used++
      const buyer =
        turn % visitorEach === 0 ? buyers[(turn / visitorEach) % buyers.length] : undefined
      const session = buyer?.cookie('sid') ?? randomBytes(32).toString('base64url')
      const headers = {
        host: new URL(world.shopUrl).host,
        origin: world.shopUrl,
        'content-type': 'application/json',
        cookie: `sid=${session}; pi-handoff=${seal}`,
      }
      const text = buyer && owned ? JSON.stringify({ orderId: buyer.order }) : body
      const answer = await own.line.send(requestOf('POST /checkout/handoff', headers, text))
      if (answer.status === 200) handed.add(JSON.parse(answer.body).id)
      return refusedWell(answer, [200, 400, 404, 413])
    },
  })
  expect(tally.get(200)).toBeGreaterThan(cases / 50)
  // Whatever came along, an order was handed its own intent and no other.
  const own = await Promise.all(buyers.map((buyer) => buyer.handoff()))
  expect([...handed].sort()).toEqual(own.map(({ id }) => id).sort())

  function lineFrom(): Line {
    return new Line(new URL(world.shopUrl).port, { from: addresses.next().value })
  }
})

test('no address, token or body crashes the checkout’s private API, holds it up or gets a 5xx (threats 13, 58, 59, 63, 64)', async ({
  world,
}) => {
  const buyers = await Promise.all(Array.from({ length: 8 }, () => orderedBuyer(world)))
  const pairs = await Promise.all(buyers.map((buyer) => buyer.handoff()))
  const tokens = await Promise.all(
    buyers.map((buyer, at) => buyer.openSession(pairs[at] ?? { id: '', clientSecret: '' })),
  )
  const [pair] = pairs
  const bodies = {
    session: jsonNear([
      ['id', JSON.stringify(pair?.id)],
      ['clientSecret', JSON.stringify(pair?.clientSecret)],
      ['origin', JSON.stringify(world.shopUrl)],
    ]),
    confirm: jsonNear([
      ['attemptId', '"0123456789abcdef"'],
      ['version', '1'],
      [
        'paymentMethod',
        '{"type":"card","card":{"number":"4000000000000002","expMonth":12,"expYear":2034,"cvc":"123"}}',
      ],
    ]),
    'challenge/open': jsonNear([['returnUrl', JSON.stringify(`${world.shopUrl}/x`)]]),
    'challenge/cancel': jsonNear([['extra', '1']]),
    cancel: jsonNear([['extra', '1']]),
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
        // A version that is still to come would be waited for.
        fc
          .constantFrom('0', '1', '-1', '1e9', 'x', '%00', '')
          .map((at) => `intent?waitForVersion=${at}`),
        fc.webPath().map((path) => path.slice(1)),
      )
      .map((path) => `GET /checkout-api/${path}`),
    body: fc.constant(''),
  })
  const lines = linesTo(world.api.baseUrl, 16)
  const tally = await fuzz({
    name: 'private API',
    program: world.service,
    inputs: fc.record({
      request: fc.oneof({ weight: 3, arbitrary: post }, { weight: 1, arbitrary: get }),
      token: fc.oneof(...tokens.map(tokenNear)),
    }),
    lanes: lines.length,
    tryOne: async ({ request, token }, { lane }) => {
      const headers = {
        host: new URL(world.api.baseUrl).host,
        origin: world.api.baseUrl,
        authorization: `Bearer ${token}`,
        'content-type': 'application/json',
      }
      const answer = await lines[lane]?.send(requestOf(request.line, headers, request.body))
      return refusedWell(answer, [200, 400, 401, 403, 404, 405, 409, 429])
    },
    // An intent's challenge is opened twenty times a minute at most, which is an answer of this door.
    isThrough: () => true,
  })
  expect(sum(tally, (status) => ![401, 404, 429].includes(status))).toBeGreaterThan(cases / 5)
  await expectAlive(world)
})

test('no form crashes the bank’s page, holds it up, gets a 5xx or settles a challenge (threat 62)', async ({
  world,
}) => {
  const buyer = await orderedBuyer(world)
  await buyer.openSession(await buyer.handoff())
  await buyer.pay('4000000000003220')
  const { url, token } = await buyer.openChallenge()
  const bank = new URL(url)
  const lines = linesTo(bank.origin, 16)
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
    program: world.service,
    inputs: fc.record({
      path: fc.constantFrom('/challenge', '/challenge/answer', '/bank', '/bank/answer'),
      body: fc.oneof(form, form, form, ascii(200)),
      script: fc.boolean(),
    }),
    lanes: lines.length,
    tryOne: async ({ path, body, script }, { lane }) => {
      const headers = {
        host: bank.host,
        accept: script ? 'application/json' : 'text/html',
        'content-type': 'application/x-www-form-urlencoded',
      }
      const answer = await lines[lane]?.send(requestOf(`POST ${path}`, headers, body))
      return refusedWell(answer, [200, 400, 413])
    },
  })
  expect(tally.get(200)).toBeGreaterThan(cases / 5)
  expect(await buyer.state()).not.toBe('paid')
  await expectAlive(world)
})

async function orderedBuyer(world: World): Promise<HttpBuyer> {
  const buyer = new HttpBuyer({
    shop: world.shopUrl.replace('localhost', '127.0.0.1'),
    shopOrigin: world.shopUrl,
    checkout: world.api.baseUrl,
  })
  await buyer.placeOrder()
  await buyer.handoff()
  return buyer
}

function jsonHeaders({ api }: World): Record<string, string> {
  return {
    host: new URL(api.baseUrl).host,
    authorization: `Bearer ${api.apiKey}`,
    'content-type': 'application/json',
  }
}

function linesTo(url: string, count: number): readonly Line[] {
  return Array.from({ length: count }, () => new Line(new URL(url).port))
}

/** 127.0.1.1, 127.0.1.2 and so on: each another visitor in the shop's eyes. */
function* addressesOfLoopback(): Generator<string, never> {
  for (let at = 0; ; at++) yield `127.${1 + ((at >> 14) & 63)}.${(at >> 7) & 127}.${1 + (at & 127)}`
}

/** Without `expect`, which notes a step for each of tens of thousands. */
function refusedWell(answer: RawAnswer | undefined, expected: readonly number[]): number {
  const { status = 0, body = '' } = answer ?? {}
  if (!expected.includes(status)) throw new Error(`answered ${status}: ${body.slice(0, 500)}`)
  return withoutInsides(status, body)
}

function withoutInsides(status: number, text: string): number {
  if (!/node_modules|\n {4}at |at .*\.js:\d+/.test(text)) return status
  throw new Error(`answered ${status} and told of its insides: ${text.slice(0, 500)}`)
}

function encoded(text: string): string {
  // A lone surrogate has no encoding; as it stands it is one more odd byte.
  return text.isWellFormed() ? encodeURIComponent(text) : escape(text)
}

async function expectAlive({ api }: World): Promise<void> {
  const answer = await fetch(`${api.baseUrl}/payment-intents/pi_x`, {
    headers: { authorization: `Bearer ${api.apiKey}` },
  })
  expect(answer.status).toBe(404)
}
