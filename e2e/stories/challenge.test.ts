import { payWith } from '@pi-checkout/element/testing'
import { expectOrder, hostedPage, openCheckout } from '../fixtures/buyer.ts'
import { expect, test } from '../fixtures/world.ts'

test("a buyer passes the bank's challenge inside the frame and has paid", async ({ page }) => {
  await openCheckout(page)
  await payWith(page, 'challenge')
  await expectOrder(page, 'paid')
})

test('a buyer whom the bank refuses pays the same order at the second try', async ({ page }) => {
  await openCheckout(page)
  await payWith(page, 'challenge-denied')
  await expect(hostedPage(page).getByRole('alert')).toContainText(/did not confirm/i)
  await payWith(page, 'challenge')
  await expectOrder(page, 'paid')
})

test('a bank that shows its own page sends the buyer back to a paid order', async ({ page }) => {
  await openCheckout(page)
  await payWith(page, 'redirect')
  await expectOrder(page, 'paid')
})
