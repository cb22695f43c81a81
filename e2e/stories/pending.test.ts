import { control } from '@pi-checkout/test-support/sandbox'
import {
  expectOrder,
  expectPaid,
  fillCard,
  hostedPage,
  openCheckout,
  orderOf,
  payButton,
} from '../fixtures/buyer.ts'
import { expect, test } from '../fixtures/test-stack.ts'

test('an order whose tab was closed shows the pending payment, and later its result', async ({
  page,
  context,
  stack,
}) => {
  const { id } = await openCheckout(page)
  const order = orderOf(page)
  await fillCard(page, '4000 0000 0000 0077')
  await payButton(page).click()
  await expect(hostedPage(page).getByText('Processing your payment')).toBeVisible()
  await page.close()

  const later = await context.newPage()
  await later.goto(`/orders/${order}`)
  await expectOrder(later, 'processing')
  await expect(later.getByTestId('edit-cart')).toHaveCount(0)
  await control(stack, `/intents/${id}/settle`, { outcome: 'succeeded' })
  await expectPaid(later, stack, id)
})

test('a payment that takes long has one page, which updates itself', async ({ page, stack }) => {
  await page.clock.install()
  const { id } = await openCheckout(page)
  const order = orderOf(page)
  const otherWays = page.locator('.other-way, .edit').locator('button')
  await expect(otherWays).toHaveText(['Pay on a separate page', 'Edit order'])
  await fillCard(page, '4000 0000 0000 0077')
  await payButton(page).click()
  await expect(hostedPage(page).getByText('Processing your payment')).toBeVisible()
  for (const button of await otherWays.all()) await expect(button).toBeHidden()
  await page.clock.runFor(12_000)
  await page.waitForURL(`**/orders/${order}`)
  await expectOrder(page, 'processing')
  await expect(page.getByText('You can leave, and come back to this page')).toBeVisible()
  await control(stack, `/intents/${id}/settle`, { outcome: 'succeeded' })
  await expectOrder(page, 'paid')
})
