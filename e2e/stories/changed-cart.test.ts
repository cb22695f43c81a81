import { payWith } from '@pi-checkout/element/testing'
import { intentsOf } from '@pi-checkout/test-support/sandbox'
import type { Page } from '@playwright/test'
import { addToCart, expectOrder, openCheckout, orderCart, orderOf } from '../fixtures/buyer.ts'
import { expect, test } from '../fixtures/test-stack.ts'

test('a buyer who edits the cart elsewhere pays for what it has now', async ({ page, context }) => {
  await openCheckout(page)
  const elsewhere = await context.newPage()
  await editCart(elsewhere, orderOf(page))
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

test('a payment for a closed order does not pay for another one', async ({
  page,
  context,
  stack,
  pageErrors,
}) => {
  // A closed order has no status.
  pageErrors.allow(/status of 404/)
  const old = await openCheckout(page)
  const order = orderOf(page)
  const elsewhere = await context.newPage()
  await editCart(elsewhere, order)
  await addToCart(elsewhere, 1, 2)
  await orderCart(elsewhere)
  const next = orderOf(elsewhere)
  await elsewhere.close()

  await payWith(page, 'succeeded')
  await expectOrder(page, 'review')
  const intents = await intentsOf(stack, old.id)
  expect(intents.find(({ id }) => id === old.id)?.status).toBe('succeeded')
  for (const [id, state] of [
    [order, 'review'],
    [next, 'open'],
  ] as const) {
    await page.goto(`/orders/${id}`)
    await expectOrder(page, state)
  }
})

async function editCart(page: Page, order: string): Promise<void> {
  await page.goto(`/orders/${order}`)
  await page.getByTestId('edit-cart').click()
  await page.waitForURL('**/cart')
  await expect(page.getByTestId('cart-count')).toHaveText('1')
}
