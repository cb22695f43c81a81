import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import pino from 'pino'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { readConfig } from '../../src/config.ts'
import { accessLog } from '../../src/http/access-log.ts'
import { createClientAddresses } from '../../src/http/client-address.ts'
import { createListener } from '../../src/http/router.ts'
import { createPendingServer, serverTimeouts } from '../../src/http/server.ts'
import { rawAnswer, rawRequest } from '../support/raw-request.ts'
import { create, order, retrieve, startTestService, type TestService } from '../support/service.ts'

const lines: Record<string, unknown>[] = []
const log = pino(
  { level: 'debug' },
  { write: (line: string) => void lines.push(JSON.parse(line) as Record<string, unknown>) },
)
let service: TestService

/** As the guide to production has it: https in front, the log at its finest. */
beforeAll(async () => {
  service = await startTestService(
    {
      ...{ PI_PUBLIC_URL: 'https://pay.example.com', PI_METRICS: 'on' },
      PI_TRUSTED_PROXIES: '127.0.0.1',
    },
    log,
  )
})

afterAll(async () => await service.stop())

async function ask(path: string, host: string): Promise<string> {
  return await rawRequest(service.url, [`GET ${path} HTTP/1.1`, `Host: ${host}`])
}

test('accepts any Host for probes and metrics, and for nothing else', async () => {
  for (const host of ['10.0.0.5:4000', 'service:4000']) {
    for (const path of ['/healthz', '/readyz', '/metrics']) {
      expect(await ask(path, host)).toMatch(/^HTTP\/1\.1 200/)
    }
    for (const path of [
      '/docs',
      '/openapi.json',
      '/checkout/pi_x',
      '/v1/pi-checkout.js',
      '/_sandbox/',
    ]) {
      expect(await ask(path, host)).toMatch(/^HTTP\/1\.1 400 [\s\S]+invalid_host/)
    }
  }
  expect(await ask('/docs', 'pay.example.com')).toMatch(/^HTTP\/1\.1 200/)
})

const forever = 'max-age=31536000; includeSubDomains'

test('behind https every answer tells browsers to stay with https', async () => {
  const created = await create(service)
  const { id } = (await created.json()) as { id: string }
  const answers = await Promise.all([
    retrieve(service, id),
    retrieve(service, 'unknown'),
    create(service, {}),
    create(service, order, { 'sandbox-fault': 'malformed-json' }),
    ...['/healthz', '/docs', '/docs.css', '/favicon.ico', '/nowhere', '/checkout-assets/x'].map(
      async (path) => await fetch(service.url + path),
    ),
  ])
  expect(answers.map(({ status }) => status)).toEqual([
    ...[200, 404, 400, 201],
    ...[200, 200, 200, 204, 404, 404],
  ])
  for (const { headers } of [created, ...answers]) {
    expect(headers.get('strict-transport-security')).toBe(forever)
    expect(headers.get('x-content-type-options')).toBe('nosniff')
  }
  // What Node would answer by itself, or does before any code of ours.
  for (const [lines, status] of [
    [['NO HTTP'], 400],
    [['GET /healthz HTTP/1.1'], 400],
    [['GET /healthz HTTP/1.1', 'Host: a', 'Expect: tea'], 400],
  ] as const) {
    const answer = await rawAnswer(service.url, lines)
    expect(answer.status).toBe(status)
    expect(answer.headers.get('strict-transport-security')).toBe(forever)
  }
})

test('sends HSTS from the test bank if its origin is https', async () => {
  const log = pino({ enabled: false })
  const config = readConfig(
    { port: '0', memory: true },
    { PI_CHALLENGE_URL: 'https://bank.example' },
  )
  const shared = { origin: config.challengeUrl, log, accessLog: [] }
  const addresses = createClientAddresses(undefined)
  const { server, open } = createPendingServer(serverTimeouts, { ...shared, addresses })
  open(createListener({ log, observers: [], checks: {}, handlers: {} }))
  server.listen(0)
  const response = await fetch(`http://127.0.0.1:${(server.address() as AddressInfo).port}/bank`)
  server.close()
  expect(response.headers.get('strict-transport-security')).toBe(forever)
})

test('at debug the log has a line for each answer, with its id and without what a caller chose', async () => {
  lines.length = 0
  const created = await create(service)
  const { id, clientSecret } = (await created.json()) as { id: string; clientSecret: string }
  const answers = [
    created,
    await retrieve(service, id, { 'idempotency-key': 'order-1' }),
    await fetch(`${service.url}/checkout/${clientSecret}?key=${service.apiKey}`),
  ]
  await expect.poll(() => lines.length).toBe(3)
  expect(lines).toEqual(
    [
      { method: 'POST', path: '/payment-intents', status: 201 },
      { method: 'GET', path: '/payment-intents/:id', status: 200 },
      { method: 'GET', path: '/checkout/:id', status: 200 },
    ].map((line, at) =>
      expect.objectContaining({
        ...line,
        level: 20,
        ms: expect.any(Number),
        requestId: answers[at]?.headers.get('request-id'),
      }),
    ),
  )
  const written = JSON.stringify(lines)
  for (const value of [id, clientSecret, service.apiKey, 'order-1']) {
    expect(written).not.toContain(value)
  }
})

test('at debug the log names the client of a request, as far as its address is known', async () => {
  const ask = async (path: string, forwardedFor?: string): Promise<void> => {
    const headers = forwardedFor === undefined ? {} : { 'x-forwarded-for': forwardedFor }
    await fetch(service.url + path, { headers })
  }
  lines.length = 0
  await ask('/healthz', '198.51.100.1, 203.0.113.7')
  await ask('/docs', '2001:db8::7')
  await ask('/readyz')
  await expect.poll(() => lines.length).toBe(3)
  expect(lines.map(({ path, client }) => [path, client])).toEqual([
    ['/healthz', '203.0.113.7'],
    ['/docs', '2001:db8:0:0::/64'],
    ['/readyz', undefined],
  ])
})

test('observes no request if the log does not take debug', () => {
  const coarse = pino({ level: 'info' }, { write: () => {} })
  expect(accessLog(coarse, () => undefined)).toEqual([])
})

test('logs the pattern of a path, and no part that may be an id or a secret', async () => {
  const patterns = {
    '/payment-intents?x=/y': '/payment-intents',
    '/payment-intents/abc': '/payment-intents/:id',
    '/_sandbox/environments/env_7Qk/clock': '/_sandbox/environments/:id/clock',
    '/checkout-api/challenge/open': '/checkout-api/challenge/open',
    '/v1/pi-checkout.js': '/v1/pi-checkout.js',
    '/pi-checkout-0.1.0.js': '/pi-checkout-:file',
    '/': '/*',
    '/jane.doe/_sandbox/jane': '/*',
    [`/${'x'.repeat(9000)}/%0a/pi_sk_test_${'0'.repeat(36)}`]: '/*',
  }
  for (const [url, path] of Object.entries(patterns)) {
    lines.length = 0
    await fetch(service.url + url)
    await expect.poll(() => lines).toEqual([expect.objectContaining({ path })])
  }
})

test('an unexpected error is in the log under the id that its response carries, masked', async () => {
  const health = (): never => {
    throw new RangeError(`holds ${service.apiKey}`)
  }
  const listener = createListener({ log, observers: [], checks: {}, handlers: { health } })
  const server = createServer(listener).listen(0)
  lines.length = 0
  const answer = await fetch(`http://127.0.0.1:${(server.address() as AddressInfo).port}/healthz`)
  server.close()
  expect(answer.headers.get('strict-transport-security')).toBeNull()
  const { code, requestId } = (await answer.json()) as Record<string, string>
  expect([answer.status, code]).toEqual([500, 'internal_error'])
  expect(lines).toEqual([
    expect.objectContaining({
      ...{ level: 50, msg: code, requestId },
      error: expect.objectContaining({
        name: 'RangeError',
        message: expect.stringMatching(/^holds /),
        stack: expect.arrayContaining([expect.stringContaining('access-log.test.ts')]),
      }),
    }),
  ])
  expect(requestId).toBe(answer.headers.get('request-id'))
  expect(JSON.stringify(lines)).not.toContain(service.apiKey)
})

test('a log level that does not exist is refused by name, with those that do', () => {
  expect(readConfig({}, {}).logLevel).toBe('warn')
  expect(() => readConfig({}, { PI_LOG_LEVEL: 'verbose' })).toThrow(
    'PI_LOG_LEVEL: must be one of silent, error, warn, info, debug (default warn); received "verbose".',
  )
})
