import { openCheckout, orderOf } from '../fixtures/buyer.ts'
import { expect, test } from '../fixtures/world.ts'

test("another visitor's order is a page that does not exist, and is never handed to them", async ({
  page,
  browser,
  world,
}) => {
  await openCheckout(page)
  const order = orderOf(page)
  const stranger = await browser.newContext({ baseURL: world.shopUrl })
  const visit = await stranger.newPage()
  for (const path of ['pay', 'orders', 'confirming']) {
    const foreign = await visit.goto(`/${path}/${order}`)
    const missing = await visit.request.get(`/${path}/order-that-never-was`)
    expect([foreign?.status(), missing.status()]).toEqual([404, 404])
    await expect(visit.getByRole('heading', { name: 'There is nothing here' })).toBeVisible()
  }
  const asked = await visit.evaluate(async (orderId) => {
    const handoff = await fetch('/checkout/handoff', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ orderId }),
    })
    const status = await fetch(`/checkout/status?orderId=${orderId}`)
    return [handoff.status, status.status, await handoff.text()]
  }, order)
  expect(asked.slice(0, 2)).toEqual([404, 404])
  expect(asked[2]).not.toContain('pi_')
  await stranger.close()
})
