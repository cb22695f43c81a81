import { randomBytes } from 'node:crypto'
import fc from 'fast-check'
import { openCheckout } from '../fixtures/buyer.ts'
import { expect, type HostileWorld, test } from '../fixtures/hostile-world.ts'
import { exchange } from '../fixtures/raw.ts'

/** Inputs for each door; `PI_FUZZ_CASES=10000` tries as many as a release does. */
const cases = Number(process.env.PI_FUZZ_CASES ?? 1000)
const slowest = 5000
/** The shop takes 300 handoffs in ten minutes from one address, and other tests need theirs. */
const handoffCases = Math.min(cases, 150)

test.setTimeout(60_000 + cases * 100)

const literal = fc.oneof(
  fc.json({ maxDepth: 8 }),
  fc.constantFrom(
    ...['1e400', '-0', '100.0', '1E2', '9007199254740993', '0x10', '01', '1.', '.5', 'NaN', '+1'],
    ...['"\\ud800"', '"\\u0000"', '"\\u202e"', '{"__proto__":1}', '{"a":1,"a":2}', '[', '"', ''],
    ...[`${'['.repeat(20_000)}${']'.repeat(20_000)}`, `${'{"a":'.repeat(500)}1${'}'.repeat(500)}`],
  ),
  fc.string({ unit: 'binary', maxLength: 40 }).map((text) => JSON.stringify(text)),
)
const field = fc.constantFrom(
  ...['orderId', 'amount', 'currency', 'customer', 'metadata', '__proto__', 'constructor', 'extra'],
)
const body = fc.oneof(
  literal,
  fc
    .array(fc.tuple(field, literal), { maxLength: 8 })
    .map((fields) => `{${fields.map(([name, value]) => `"${name}":${value}`).join(',')}}`),
  fc.string({ unit: 'binary', maxLength: 200 }),
)

test('rows 19, 23, 24, 25, 28 and 29: no JSON text crashes the API, hangs it or gets a 5xx', async ({
  world,
}) => {
  const headers = {
    authorization: `Bearer ${world.api.apiKey}`,
    'content-type': 'application/json',
  }
  await fuzz(body, async (text) => {
    const answer = await fetch(`${world.api.baseUrl}/payment-intents`, {
      ...{ method: 'POST', headers, body: text, signal: AbortSignal.timeout(slowest) },
    })
    expect([201, 400, 413]).toContain(answer.status)
    expect(await answer.text()).not.toMatch(/node_modules|\n {4}at /)
  })
  await expectAlive(world)
})

test('rows 28 and 30: no header line or path on a raw socket crashes the service, hangs it or gets a 5xx', async ({
  world,
}) => {
  const { port } = new URL(world.api.baseUrl)
  const text = fc.string({ unit: 'binary-ascii', maxLength: 60 })
  const line = fc.tuple(
    fc.constantFrom('Authorization', 'Idempotency-Key', 'Content-Type', 'Host', 'Api-Version', 'X'),
    text,
  )
  const request = fc.record({
    method: fc.constantFrom('GET', 'POST', 'HEAD', 'OPTIONS', 'get', 'X'),
    path: fc.oneof(
      text.map((path) => `/${path}`),
      fc.constantFrom('/payment-intents', '/checkout/', '/checkout-api/session', '/_sandbox/'),
    ),
    lines: fc.array(line, { maxLength: 5 }),
  })
  await fuzz(request, async ({ method, path, lines }) => {
    const began = performance.now()
    const answer = await exchange(port, [
      `${method} ${path} HTTP/1.1`,
      ...[`Host: 127.0.0.1:${port}`, 'Connection: close'],
      ...lines.map(([name, value]) => `${name}: ${value}`),
      ...['', ''],
    ])
    expect(answer).not.toMatch(/^HTTP\/1\.1 5/)
    expect(performance.now() - began).toBeLessThan(slowest + 10_000)
  })
  await expectAlive(world)
})

test('rows 23, 36 and 39: no body or cookie crashes the handoff, makes an intent or gets a 5xx', async ({
  world,
}) => {
  const cookie = fc.string({ unit: 'binary-ascii', maxLength: 200 }).map(printable)
  await fuzz(
    fc.tuple(body, cookie),
    async ([text, value]) => {
      const answer = await fetch(`${world.nodeShop}/checkout/handoff`, {
        method: 'POST',
        headers: {
          origin: world.shopUrl,
          'content-type': 'application/json',
          // A visitor of its own each time: one session has ten.
          cookie: `sid=${randomBytes(32).toString('base64url')}; pi-handoff=${value}`,
        },
        body: text,
        signal: AbortSignal.timeout(slowest),
      })
      expect([400, 403, 404, 413]).toContain(answer.status)
    },
    handoffCases,
  )
})

test('rows 59 and 64: no token and no body crashes the checkout’s private API or gets a 5xx', async ({
  page,
  world,
}) => {
  const session = page.waitForResponse('**/checkout-api/session')
  await openCheckout(page)
  const { token } = (await (await session).json()) as { readonly token: string }
  const bearer = fc.oneof(
    fc.constant(token),
    fc
      .integer({ min: 0, max: token.length })
      .map((at) => `${token.slice(0, at)}x${token.slice(at + 1)}`),
    fc.string({ unit: 'binary-ascii', maxLength: 300 }).map(printable),
  )
  const path = fc.constantFrom('session', 'confirm', 'challenge/open', 'challenge/cancel')
  await fuzz(fc.tuple(path, bearer, body), async ([name, value, text]) => {
    const answer = await fetch(`${world.api.baseUrl}/checkout-api/${name}`, {
      method: 'POST',
      headers: {
        origin: world.api.baseUrl,
        authorization: `Bearer ${value}`,
        'content-type': 'application/json',
      },
      body: text,
      signal: AbortSignal.timeout(slowest),
    })
    expect(answer.status).toBeLessThan(500)
  })
  await expectAlive(world)
})

async function fuzz<T>(
  inputs: fc.Arbitrary<T>,
  tryOne: (input: T) => Promise<void>,
  numRuns = cases,
): Promise<void> {
  await fc.assert(fc.asyncProperty(inputs, tryOne), { numRuns, endOnFailure: true })
}

async function expectAlive({ api }: HostileWorld): Promise<void> {
  const answer = await fetch(`${api.baseUrl}/payment-intents/pi_x`, {
    headers: { authorization: `Bearer ${api.apiKey}` },
  })
  expect(answer.status).toBe(404)
}

/** What a client may put into a header at all. */
function printable(text: string): string {
  return text.replace(/[^\x20-\x7e]/g, '?').trim()
}
