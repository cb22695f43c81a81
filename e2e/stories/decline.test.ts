import { payWith } from '@pi-checkout/element/testing'
import { expectOrder, hostedPage, openCheckout } from '../fixtures/buyer.ts'
import { expect, test } from '../fixtures/world.ts'

test('a declined buyer is told why, and pays the same order with another card', async ({
  page,
}) => {
  await openCheckout(page)
  await payWith(page, 'declined')
  await expect(hostedPage(page).getByRole('alert')).toContainText(/declined/i)
  await payWith(page, 'success')
  await expectOrder(page, 'paid')
})
