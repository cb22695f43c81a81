import { pino } from 'pino'
import { expect, test } from 'vitest'
import { createApp } from '../../src/http/app.ts'
import { Overloaded } from '../../src/store/errors.ts'
import { sendRaw, startTestService } from '../support/service.ts'

const service = await startTestService({ PI_PUBLIC_URL: 'https://pay.example.com' })
const admin = `Authorization: Bearer ${service.ready.adminToken}`

test('keeps an idle connection longer than proxies and clients do', async () => {
  const { headers } = await fetch(`${service.url}/healthz`)
  const [, seconds] = /timeout=(\d+)/.exec(headers.get('keep-alive') ?? '') ?? []
  expect(Number(seconds)).toBeGreaterThan(60)
})

test.each([
  [200, '10.0.0.5:4000', ['/healthz', '/readyz']],
  [400, 'service:4000', ['/docs', '/checkout/pi_x', '/v1/pi-checkout.js', '/_sandbox/']],
  [200, 'pay.example.com', ['/docs']],
  [404, 'pay.example.com', ['/_sandbox/', '/_sandbox/environments']],
])('returns %s behind a proxy to the Host %s for %j', async (status, host, paths) => {
  for (const path of paths) {
    const lines = [`GET ${path} HTTP/1.1`, `Host: ${host}`, admin]
    const response = await sendRaw(service.url, lines)
    expect(response.status, path).toBe(status)
  }
})

test('rejects with Retry-After when too many requests wait for the store', async () => {
  const app = createApp({ log: pino({ enabled: false }) })
  app.get('/', () => Promise.reject(new Overloaded()))
  const response = await app.inject('/')
  expect([response.statusCode, response.headers['retry-after']]).toEqual([503, '1'])
  expect(response.json()).toMatchObject({
    code: 'store_unavailable',
    retryable: true,
    detail: expect.stringContaining('This request was not run'),
  })
})
