import { expectOrder, openCheckout } from '../fixtures/buyer.ts'
import { test } from '../fixtures/test-stack.ts'

test('a forged pi-finish does not make an order paid (threat 43)', async ({ page }) => {
  await openCheckout(page)
  await page.evaluate(() => {
    const element = document.querySelector('pi-checkout')
    element?.dispatchEvent(new CustomEvent('pi-finish', { bubbles: true, composed: true }))
  })
  await expectOrder(page, 'open')
})
