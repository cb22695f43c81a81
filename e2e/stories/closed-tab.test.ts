import { payWith } from '@pi-checkout/element/testing'
import { officeOrder, reconcile } from '../fixtures/back-office.ts'
import { expectOrder, hostedPage, openCheckout, orderOf } from '../fixtures/buyer.ts'
import { expect, test } from '../fixtures/world.ts'

test('a buyer who closes the tab in the middle of the payment finds the order paid all the same', async ({
  page,
  context,
  world,
}) => {
  await openCheckout(page)
  const order = orderOf(page)
  // The bank takes five seconds; the buyer is gone before.
  await payWith(page, 'slow')
  await expect(hostedPage(page).getByText('Processing your payment')).toBeVisible()
  await page.close()

  await expect
    .poll(
      async () => {
        await reconcile(world)
        return (await officeOrder(world, order)).state
      },
      { intervals: [500] },
    )
    .toBe('paid')
  const later = await context.newPage()
  await later.goto('/orders')
  await later.locator(`a[href="/orders/${order}"]`).click()
  await expectOrder(later, 'paid')
})
