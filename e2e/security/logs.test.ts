import { create } from '../fixtures/api.ts'
import { expect, test } from '../fixtures/hostile-world.ts'
import { exchange } from '../fixtures/raw.ts'

test('nothing that a caller sends begins a log line of its own or brings control characters into one (threat 34)', async ({
  world,
}) => {
  const forged = '{"level":50,"msg":"forged"}'
  const { port } = new URL(world.api.baseUrl)
  const own = [`Host: 127.0.0.1:${port}`, `Authorization: Bearer ${world.api.apiKey}`]
  for (const junk of [`\r ${forged}`, `\x1b[2J${forged}`, `\u2028${forged}`, `%0a${forged}`]) {
    await exchange(port, [
      `POST /payment-intents?x=${encodeURIComponent(junk)} HTTP/1.1`,
      ...[
        ...own,
        `User-Agent: ${junk}`,
        'Content-Type: application/json',
        'Connection: close',
        '',
        '',
      ],
    ])
    await create(world, { orderId: `A\n${forged}`, amount: junk, currency: forged })
    await fetch(
      `${world.checkoutOrigin.replace('pay.localhost', '127.0.0.1')}/checkout-api/reports`,
      {
        method: 'POST',
        headers: { 'content-type': 'application/reports+json' },
        body: JSON.stringify([
          {
            type: 'csp-violation',
            body: {
              effectiveDirective: 'img-src',
              blockedURL: `https://x.example/${junk}\n${forged}`,
            },
          },
        ]),
      },
    )
    await fetch(`${world.nodeShop}/reports`, {
      method: 'POST',
      headers: { origin: world.shopUrl, 'content-type': 'application/reports+json' },
      body: JSON.stringify([
        {
          type: 'csp-violation',
          body: { effectiveDirective: `img-src\n${forged}`, blockedURL: `${junk}\n${forged}` },
        },
      ]),
    })
  }
  const lines = [...world.service.log.slice(1), ...world.shop.log.slice(1)]
  expect(lines.length).toBeGreaterThan(3)
  expect(lines.filter((line) => JSON.parse(line).msg === 'forged')).toEqual([])
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
  expect(lines.filter((line) => /[\x00-\x1f\x7f]/.test(line))).toEqual([])
})
