import { payWith } from '@pi-checkout/element/testing'
import { startSite } from '@pi-checkout/test-support/sites'
import { startService } from '@pi-checkout/test-support/stack'
import { createIntent, retrieve } from '../fixtures/api.ts'
import { expect, test } from '../fixtures/test-stack.ts'

test('two checkouts of two merchants at two services on one page both pay', async ({
  page,
  stack,
}) => {
  const market = await startSite(undefined, { name: 'localhost' })
  await stack.administer('origins', 'add', market.origin)
  const other = await startService(['--memory', '--shop-origin', market.origin])
  const merchants = [stack, { api: other.ready }] as const
  const handoffs = await Promise.all(
    merchants.map((merchant) => createIntent(merchant, { orderId: 'SAME-ORDER-ID' })),
  )
  const [first, second] = merchants.map(({ api }) => api.checkoutOrigin)
  market.serve((_, response) => {
    response.writeHead(200, { 'content-type': 'text/html; charset=utf-8' })
    response.end(`<!doctype html><html lang="en"><title>Market</title>
      <link rel="icon" href="data:,">
      <pi-checkout></pi-checkout><acme-checkout></acme-checkout>
      <script type="module">
        import { defineCheckout } from '${first}/v1/pi-checkout.js'
        defineCheckout({ tag: 'acme-checkout', checkoutOrigin: '${second}' })
        const [one, two] = ${JSON.stringify(handoffs)}
        document.querySelector('pi-checkout').handoff = one
        document.querySelector('acme-checkout').handoff = two
      </script>`)
  })
  await page.goto(market.origin)
  await payWith(page.locator('acme-checkout'), 'challenge')
  await payWith(page.locator('pi-checkout'), 'succeeded')
  for (const [at, merchant] of merchants.entries()) {
    const status = async () =>
      (await (await retrieve(merchant, handoffs[at]?.id ?? '')).json()).status
    await expect.poll(status).toBe('succeeded')
  }
  const frames = page.locator('pi-checkout iframe, acme-checkout iframe')
  const origins = await frames.evaluateAll((all) =>
    all.map((frame) => new URL(frame.getAttribute('src') ?? '').origin),
  )
  expect(origins).toEqual([first, second])
  await other.stop()
  await market.close()
})
