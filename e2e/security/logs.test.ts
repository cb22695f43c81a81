import { rawRequest } from '@pi-checkout/test-support/raw-http'
import { expect, test } from '../fixtures/cross-site-stack.ts'
import { create } from '../fixtures/merchant.ts'

test('no request adds a log line or control characters to the logs', async ({ stack }) => {
  const forged = '{"level":50,"msg":"forged"}'
  const { port } = new URL(stack.api.baseUrl)
  for (const junk of [`\r ${forged}`, `\x1b[2J${forged}`, `\u2028${forged}`, `%0a${forged}`]) {
    await rawRequest(port, [
      `POST /payment-intents?x=${encodeURIComponent(junk)} HTTP/1.1`,
      `Host: 127.0.0.1:${port}`,
      `Authorization: Bearer ${stack.api.apiKey}`,
      `User-Agent: ${junk}`,
      'Content-Type: application/json',
      'Connection: close',
      '',
      '',
    ])
    await create(stack, { orderId: `A\n${forged}`, amount: junk, currency: forged })
    const headers = { 'content-type': 'application/json', origin: stack.shopUrl }
    const body = JSON.stringify({ orderId: `${junk}\n${forged}` })
    await fetch(`${stack.nodeShop}/checkout/handoff`, { method: 'POST', headers, body })
  }
  const lines = [...stack.service.log.slice(1), ...stack.shop.log.slice(1)]
  expect(lines.length).toBeGreaterThan(3)
  expect(lines.filter((line) => JSON.parse(line).msg === 'forged')).toEqual([])
  // biome-ignore lint/suspicious/noControlCharactersInRegex: the test searches for them
  expect(lines.filter((line) => /[\x00-\x1f\x7f]/.test(line))).toEqual([])
})
