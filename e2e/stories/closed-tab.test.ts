import { payWith } from '@pi-checkout/element/testing'
import { adminOrder, reconcile } from '../fixtures/admin-page.ts'
import { expectOrder, hostedPage, openCheckout, orderOf } from '../fixtures/buyer.ts'
import { expect, test } from '../fixtures/test-stack.ts'

test('an order is paid although the buyer closed the tab during the payment', async ({
  page,
  context,
  stack,
}) => {
  await openCheckout(page)
  const order = orderOf(page)
  // The bank takes five seconds; the buyer leaves before.
  await payWith(page, 'slow')
  await expect(hostedPage(page).getByText('Processing your payment')).toBeVisible()
  await page.close()

  await expect
    .poll(
      async () => {
        await reconcile(stack)
        return (await adminOrder(stack, order)).state
      },
      { intervals: [500] },
    )
    .toBe('paid')
  const later = await context.newPage()
  await later.goto('/orders')
  await later.locator(`a[href="/orders/${order}"]`).click()
  await expectOrder(later, 'paid')
})
