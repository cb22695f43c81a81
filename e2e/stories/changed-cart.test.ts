import { payWith } from '@pi-checkout/element/testing'
import { intentsOf } from '@pi-checkout/test-support/sandbox'
import {
  addToCart,
  expectOrder,
  nextHandoff,
  openCheckout,
  orderCart,
  orderOf,
} from '../fixtures/buyer.ts'
import { expect, test } from '../fixtures/test-stack.ts'

test('a buyer who returns to a checkout after a change of the cart pays for the current cart', async ({
  page,
  context,
}) => {
  const old = await openCheckout(page)
  const elsewhere = await context.newPage()
  await addToCart(elsewhere, 1, 2)
  const current = await orderCart(elsewhere)
  expect(current.id).not.toBe(old.id)
  const total = await elsewhere.getByTestId('order-total').textContent()
  await elsewhere.close()

  const handoff = nextHandoff(page)
  // A browser dispatches this when the tab is shown again.
  await page.evaluate(() => document.dispatchEvent(new Event('visibilitychange')))
  expect(await handoff).toEqual(current)
  await expect(page.getByText('This order changed in another tab.')).toBeVisible()
  await expect(page.getByTestId('order-total')).toHaveText(total ?? '')
  await payWith(page, 'succeeded')
  await expectOrder(page, 'paid')
})

test('a payment for an earlier version of the cart does not pay the current one (threat 42)', async ({
  page,
  context,
  stack,
}) => {
  const old = await openCheckout(page)
  const order = orderOf(page)
  const elsewhere = await context.newPage()
  await addToCart(elsewhere, 1, 2)
  await orderCart(elsewhere)

  await page.bringToFront()
  await payWith(page, 'succeeded')
  await expectOrder(page, 'open')
  const intents = await intentsOf(stack, old.id)
  expect(intents.find(({ id }) => id === old.id)?.status).toBe('succeeded')
  await page.goto(`/orders/${order}`)
  await expect(page.getByTestId('stray-payment')).toBeVisible()
  await expectOrder(page, 'open')
})
