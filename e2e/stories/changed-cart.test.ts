import { payWith } from '@pi-checkout/element/testing'
import { addToCart, expectOrder, openCheckout, orderCart, orderOf } from '../fixtures/buyer.ts'
import { expect, test } from '../fixtures/test-stack.ts'

test('a buyer who edits the cart elsewhere pays for what it has now', async ({ page, context }) => {
  await openCheckout(page)
  const elsewhere = await context.newPage()
  await elsewhere.goto(`/orders/${orderOf(page)}`)
  await elsewhere.getByTestId('edit-cart').click()
  await elsewhere.waitForURL('**/cart')
  await expect(elsewhere.getByTestId('cart-count')).toHaveText('1')
  await addToCart(elsewhere, 1, 2)
  await elsewhere.close()

  // A browser dispatches this when the tab is shown again. If it has, the page is already another one.
  const shown = page.evaluate(() => document.dispatchEvent(new Event('visibilitychange')))
  await shown.catch(() => undefined)
  await page.waitForURL('**/cart')
  const total = (await page.getByTestId('cart-total').textContent()) ?? ''
  await orderCart(page)
  await expect(page.getByTestId('order-total')).toHaveText(total)
  await payWith(page, 'succeeded')
  await expectOrder(page, 'paid')
})
