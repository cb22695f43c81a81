import { expectOrder, openCheckout, orderOf } from '../fixtures/buyer.ts'
import { test } from '../fixtures/test-stack.ts'

test('a forged pi-finish does not make an order paid (threat 43)', async ({ page }) => {
  await openCheckout(page)
  await page.evaluate(() => {
    const element = document.querySelector('pi-checkout')
    element?.dispatchEvent(new CustomEvent('pi-finish', { bubbles: true, composed: true }))
  })
  await expectOrder(page, 'open')
})

test('a forged return address does not make an order paid', async ({ page }) => {
  const { id } = await openCheckout(page)
  const order = orderOf(page)
  for (const path of ['orders', 'confirming']) {
    await page.goto(`/${path}/${order}?payment_intent=${id}&status=paid&redirect_status=succeeded`)
    await expectOrder(page, 'open')
  }
})
