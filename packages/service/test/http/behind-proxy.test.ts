import { expect, test } from 'vitest'
import { sendRaw, startTestService } from '../support/service.ts'

const service = await startTestService({ PI_PUBLIC_URL: 'https://pay.example.com' })

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
