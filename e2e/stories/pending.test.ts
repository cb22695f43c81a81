import { intentsOf, settleIntent } from '@pi-checkout/test-support/sandbox'
import {
  expectOrder,
  fillCard,
  hostedPage,
  openCheckout,
  orderOf,
  payButton,
} from '../fixtures/buyer.ts'
import { expect, test } from '../fixtures/test-stack.ts'

test('"Check out" leads to the pending order while the bank is processing', async ({
  page,
  context,
  stack,
}) => {
  const { id } = await openCheckout(page)
  const order = orderOf(page)
  const cart = await context.newPage()
  await cart.goto('/cart')
  await page.bringToFront()
  await fillCard(page, '4000 0000 0000 0077')
  await payButton(page).click()
  await expect(hostedPage(page).getByText('Processing your payment')).toBeVisible()
  await page.close()

  // This page was opened before the payment, so it still offers to check out.
  await cart.getByTestId('place-order').click()
  await cart.waitForURL(`**/confirming/${order}`)
  await cart.goto('/cart')
  await expect(cart.getByTestId('pending-order')).toBeVisible()
  await expect(cart.getByTestId('place-order')).toHaveCount(0)

  // The order's page shows the result when it is known.
  await cart.goto(`/orders/${order}`)
  await expectOrder(cart, 'processing')
  await settleIntent(stack, id, 'succeeded')
  await expectOrder(cart, 'paid')
  await expect(cart.getByTestId('cart-count')).toHaveText('0')
  expect((await intentsOf(stack, id)).map(({ status }) => status)).toEqual(['succeeded'])
})
