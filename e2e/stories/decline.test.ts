import { cards, expectOrder, hostedPage, openCheckout, payWithCard } from '../fixtures/buyer.ts'
import { expect, test } from '../fixtures/world.ts'

test('a declined buyer is told why, and pays the same order with another card', async ({
  page,
}) => {
  await openCheckout(page)
  await payWithCard(page, cards.declined)
  await expect(hostedPage(page).getByRole('alert')).toContainText(/declined/i)
  await payWithCard(page, cards.pays)
  await expectOrder(page, 'paid')
})
