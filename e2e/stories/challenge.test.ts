import {
  answerChallenge,
  cards,
  expectOrder,
  hostedPage,
  openCheckout,
  payWithCard,
} from '../fixtures/buyer.ts'
import { expect, test } from '../fixtures/world.ts'

test("a buyer passes the bank's challenge inside the frame and has paid", async ({ page }) => {
  await openCheckout(page)
  await payWithCard(page, cards.challenge)
  await answerChallenge(page, '1234')
  await expectOrder(page, 'paid')
})

test('a buyer whom the bank refuses pays the same order at the second try', async ({ page }) => {
  await openCheckout(page)
  await payWithCard(page, cards.challenge)
  await answerChallenge(page, '0000')
  await expect(hostedPage(page).getByRole('alert')).toBeVisible()
  await payWithCard(page, cards.challenge)
  await answerChallenge(page, '1234')
  await expectOrder(page, 'paid')
})
