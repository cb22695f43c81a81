import { openCheckout, orderOf } from '../fixtures/buyer.ts'
import { expect, test } from '../fixtures/test-stack.ts'

test("another buyer's order is not found", async ({ page, browser, stack }) => {
  await openCheckout(page)
  const order = orderOf(page)
  const other = await browser.newContext({ baseURL: stack.shopUrl })
  const tab = await other.newPage()
  for (const path of ['pay', 'orders', 'confirming']) {
    const existing = await tab.goto(`/${path}/${order}`)
    const missing = await tab.request.get(`/${path}/unknown-order`)
    expect([existing?.status(), missing.status()]).toEqual([404, 404])
    await expect(tab.getByRole('heading', { name: 'Page not found' })).toBeVisible()
  }
  const responses = await tab.evaluate(async (orderId) => {
    const handoff = await fetch('/checkout/handoff', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ orderId }),
    })
    const status = await fetch(`/checkout/status?orderId=${orderId}`)
    return [handoff.status, status.status, await handoff.text()]
  }, order)
  expect(responses.slice(0, 2)).toEqual([404, 404])
  expect(responses[2]).not.toContain('pi_')
  await other.close()
})
