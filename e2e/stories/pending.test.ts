import { payWith } from '@pi-checkout/element/testing'
import {
  expectOrder,
  fillCard,
  hostedPage,
  openCheckout,
  orderOf,
  payButton,
} from '../fixtures/buyer.ts'
import { intentsOf, settleIntent } from '../fixtures/sandbox.ts'
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

test('"Check out" leads to the receipt of a payment that the shop has not retrieved', async ({
  page,
  context,
}) => {
  await openCheckout(page)
  const order = orderOf(page)
  const cart = await context.newPage()
  await cart.goto('/cart')
  // The tab is closed after the payment and before the shop has the status.
  await page.route('**/checkout/status*', () => {})
  const asked = page.waitForRequest('**/checkout/status*')
  await page.bringToFront()
  await payWith(page, 'succeeded')
  await asked
  await page.close()

  await cart.getByTestId('place-order').click()
  await cart.waitForURL(`**/orders/${order}`)
  await expectOrder(cart, 'paid')
  await expect(cart.getByTestId('cart-count')).toHaveText('0')
  await cart.goto('/orders')
  await expect(cart.locator('a.order-card')).toHaveCount(1)
})

test('an outdated page does not add a bought piece to the cart again', async ({
  page,
  context,
}) => {
  await openCheckout(page)
  const shop = await context.newPage()
  await shop.goto('/')
  await page.bringToFront()
  await payWith(page, 'succeeded')
  await expectOrder(page, 'paid')

  const add = shop.getByTestId('add-to-cart').first()
  await add.click()
  await expect(shop.getByTestId('cart-count')).toHaveText('0')
  await add.click()
  await expect(shop.getByTestId('cart-count')).toHaveText('1')
})
