import { rawRequest } from '@pi-checkout/test-support/raw-http'
import { create } from '../fixtures/api.ts'
import { expect, test } from '../fixtures/cross-site-stack.ts'

test('no request adds a log line or control characters to the logs (threat 34)', async ({
  stack,
}) => {
  const forged = '{"level":50,"msg":"forged"}'
  const { port } = new URL(stack.api.baseUrl)
  const reports = { 'content-type': 'application/reports+json' }
  for (const junk of [`\r ${forged}`, `\x1b[2J${forged}`, `\u2028${forged}`, `%0a${forged}`]) {
    await rawRequest(port, [
      `POST /payment-intents?x=${encodeURIComponent(junk)} HTTP/1.1`,
      ...[`Host: 127.0.0.1:${port}`, `Authorization: Bearer ${stack.api.apiKey}`],
      ...[`User-Agent: ${junk}`, 'Content-Type: application/json', 'Connection: close', '', ''],
    ])
    await create(stack, { orderId: `A\n${forged}`, amount: junk, currency: forged })
    const body = {
      effectiveDirective: `img-src\n${forged}`,
      blockedURL: `https://x.example/${junk}\n${forged}`,
    }
    for (const [url, headers] of [
      [`${stack.api.baseUrl}/checkout-api/reports`, reports],
      [`${stack.nodeShop}/reports`, { ...reports, origin: stack.shopUrl }],
    ] as const) {
      const report = JSON.stringify([{ type: 'csp-violation', body }])
      await fetch(url, { method: 'POST', headers, body: report })
    }
  }
  const lines = [...stack.service.log.slice(1), ...stack.shop.log.slice(1)]
  expect(lines.length).toBeGreaterThan(3)
  expect(lines.filter((line) => JSON.parse(line).msg === 'forged')).toEqual([])
  // biome-ignore lint/suspicious/noControlCharactersInRegex: the test searches for them
  expect(lines.filter((line) => /[\x00-\x1f\x7f]/.test(line))).toEqual([])
})
