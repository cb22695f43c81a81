import { sampleKey } from '@pi-checkout/test-support/api-key'
import { beforeEach, expect, test } from 'vitest'
import { create, retrieve, sendRaw, startTestService } from '../support/service.ts'

/** As in the production guide: https in front, and the most detailed log. */
const service = await startTestService({
  PI_PUBLIC_URL: 'https://pay.example.com',
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

test('accepts any Host for probes, and for nothing else', async () => {
  const status = async (path: string, host: string): Promise<number> =>
    (await sendRaw(service.url, [`GET ${path} HTTP/1.1`, `Host: ${host}`])).status
  for (const host of ['10.0.0.5:4000', 'service:4000']) {
    for (const path of ['/healthz', '/readyz']) {
      expect(await status(path, host), path).toBe(200)
    }
    for (const path of ['/docs', '/checkout/pi_x', '/v1/pi-checkout.js', '/_sandbox/']) {
      expect(await status(path, host), path).toBe(400)
    }
  }
  expect(await status('/docs', 'pay.example.com')).toBe(200)
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
  expect(lines.map(({ client }) => client)).toEqual(['127.0.0.1', '127.0.0.1', '203.0.113.7'])
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
