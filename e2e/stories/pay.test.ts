import { payWith } from '@pi-checkout/element/testing'
import { retrieve } from '../fixtures/api.ts'
import { expectOrder, hostedPage, openCheckout } from '../fixtures/buyer.ts'
import { expect, test } from '../fixtures/test-stack.ts'

test('a buyer pays by card, and the shop retrieves the paid intent', async ({ page, stack }) => {
  const { id } = await openCheckout(page)
  await payWith(page, 'success')
  await expectOrder(page, 'paid')

  expect(await (await retrieve(stack, id)).json()).toMatchObject({ id, status: 'succeeded' })
})

test('a declined buyer sees the reason and pays the same order with another card', async ({
  page,
}) => {
  await openCheckout(page)
  await payWith(page, 'declined')
  await expect(hostedPage(page).getByRole('alert')).toContainText(/declined/i)
  await payWith(page, 'success')
  await expectOrder(page, 'paid')
})

test("a buyer passes the bank's challenge inside the frame", async ({ page }) => {
  await openCheckout(page)
  await payWith(page, 'challenge')
  await expectOrder(page, 'paid')
})

test('a buyer pays the same order after a denied challenge', async ({ page }) => {
  await openCheckout(page)
  await payWith(page, 'challenge-denied')
  await expect(hostedPage(page).getByRole('alert')).toContainText(/did not confirm/i)
  await payWith(page, 'challenge')
  await expectOrder(page, 'paid')
})

test('a bank with a separate page returns the buyer to a paid order', async ({ page }) => {
  await openCheckout(page)
  await payWith(page, 'redirect')
  await expectOrder(page, 'paid')
})
