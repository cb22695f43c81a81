import { sampleKey } from '@pi-checkout/test-support/api-key'
import { pino } from 'pino'
import { beforeEach, expect, test } from 'vitest'
import { readConfig } from '../../src/config.ts'
import { createClientAddresses } from '../../src/http/client-address.ts'
import { createListener } from '../../src/http/router.ts'
import { createPendingServer, serverTimeouts, urlOf } from '../../src/http/server.ts'
import { atEnd } from '../support/lifetime.ts'
import { create, created, order, retrieve, sendRaw, startTestService } from '../support/service.ts'

/** As in the production guide: https in front, and the most detailed log. */
const service = await startTestService({
  PI_PUBLIC_URL: 'https://pay.example.com',
  PI_METRICS: 'on',
  PI_LOG_LEVEL: 'debug',
  PI_TRUSTED_PROXIES: '127.0.0.1',
})

beforeEach(() => {
  service.logged.length = 0
})

async function linesOf(count: number): Promise<Record<string, unknown>[]> {
  await expect.poll(() => service.logged.length).toBe(count)
  return service.logged.map((line) => JSON.parse(line))
}

test('accepts any Host for probes and metrics, and for nothing else', async () => {
  const status = async (path: string, host: string): Promise<number> =>
    (await sendRaw(service.url, [`GET ${path} HTTP/1.1`, `Host: ${host}`])).status
  for (const host of ['10.0.0.5:4000', 'service:4000']) {
    for (const path of ['/healthz', '/readyz', '/metrics']) {
      expect(await status(path, host), path).toBe(200)
    }
    for (const path of ['/docs', '/checkout/pi_x', '/v1/pi-checkout.js', '/_sandbox/']) {
      expect(await status(path, host), path).toBe(400)
    }
  }
  expect(await status('/docs', 'pay.example.com')).toBe(200)
})

const hsts = 'max-age=31536000; includeSubDomains'

test('sends HSTS and nosniff in every response if its origin is https', async () => {
  const { id } = await created(service)
  const responses = await Promise.all([
    retrieve(service, id),
    retrieve(service, 'unknown'),
    create(service, {}),
    create(service, order, { 'sandbox-fault': 'malformed-json' }),
    ...['/healthz', '/docs', '/favicon.ico', '/nowhere', '/checkout-assets/x'].map((path) =>
      fetch(service.url + path),
    ),
    // Node.js would respond to these itself.
    ...[['NO HTTP'], ['GET /healthz HTTP/1.1'], ['GET / HTTP/1.1', 'Host: a', 'Expect: tea']].map(
      (lines) => sendRaw(service.url, lines),
    ),
  ])
  expect(responses.map(({ status }) => status)).toEqual([
    200, 404, 400, 201, 200, 200, 204, 404, 404, 400, 400, 400,
  ])
  for (const { headers } of responses) {
    expect(headers.get('strict-transport-security')).toBe(hsts)
    expect(headers.get('x-content-type-options')).toBe('nosniff')
  }
})

test('sends HSTS from the test bank if its origin is https', async () => {
  const log = pino({ enabled: false })
  const stopping = new AbortController().signal
  const addresses = createClientAddresses(undefined)
  const { challengeUrl: origin } = readConfig({}, { PI_CHALLENGE_URL: 'https://bank.example' })
  const { server, open } = createPendingServer(serverTimeouts, { addresses, origin })
  open(createListener({ log, observers: [], checks: {}, handlers: {}, stopping }))
  server.listen(0, '127.0.0.1')
  atEnd(() => server.close())
  await expect.poll(() => server.listening).toBe(true)
  const { headers } = await fetch(`${urlOf(server)}/bank`)
  expect(headers.get('strict-transport-security')).toBe(hsts)
})

test('logs each response with its id, without values that a caller chose', async () => {
  const made = await create(service)
  const { id, clientSecret } = (await made.clone().json()) as { id: string; clientSecret: string }
  const responses = [
    made,
    await retrieve(service, id, { 'idempotency-key': 'order-1' }),
    await fetch(`${service.url}/checkout/${clientSecret}?key=${service.apiKey}`, {
      headers: { 'x-forwarded-for': '198.51.100.1, 203.0.113.7' },
    }),
  ]
  const lines = await linesOf(3)
  expect(lines).toMatchObject(
    [
      { method: 'POST', path: '/payment-intents', status: 201 },
      { method: 'GET', path: '/payment-intents/:id', status: 200 },
      { method: 'GET', path: '/checkout/:id', status: 200 },
    ].map((line, index) => ({
      ...line,
      level: 20,
      ms: expect.any(Number),
      requestId: responses[index]?.headers.get('request-id'),
    })),
  )
  expect(lines.map(({ client }) => client)).toEqual([undefined, undefined, '203.0.113.7'])
  for (const value of [id, clientSecret, service.apiKey, 'order-1']) {
    expect(service.logged.join()).not.toContain(value)
  }
})

for (const [url, path] of [
  ['/payment-intents?x=/y', '/payment-intents'],
  ['/payment-intents/abc', '/payment-intents/:id'],
  ['/_sandbox/environments/env_7Qk/clock', '/_sandbox/environments/:id/clock'],
  ['/checkout-api/challenge/open', '/checkout-api/challenge/open'],
  ['/v1/pi-checkout.js', '/v1/pi-checkout.js'],
  ['/pi-checkout-0.1.0.js', '/pi-checkout-:file'],
  ['/nowhere', '/*'],
  ['/jane.doe/_sandbox/jane', '/*'],
  [`/${'x'.repeat(9000)}/%0a/${sampleKey('0')}`, '/*'],
] as const) {
  test(`logs ${url.slice(0, 40)} as ${path}`, async () => {
    await fetch(service.url + url)
    expect(await linesOf(1)).toEqual([expect.objectContaining({ path })])
  })
}
