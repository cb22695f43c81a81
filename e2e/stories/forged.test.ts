import { expectOrder, openCheckout, orderOf } from '../fixtures/buyer.ts'
import { test } from '../fixtures/test-stack.ts'

test('a forged pi-phase does not make an order paid', async ({ page }) => {
  await openCheckout(page)
  const orderId = orderOf(page)
  await page.evaluate(
    (forged) => {
      const event = Object.assign(new Event('pi-phase', { bubbles: true }), forged)
      document.querySelector('pi-checkout')?.dispatchEvent(event)
    },
    { phase: 'paid', orderId },
  )
  await expectOrder(page, 'open')
})
