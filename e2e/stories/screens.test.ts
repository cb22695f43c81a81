import { payWith } from '@pi-checkout/element/testing'
import { seriousFaults } from '../fixtures/access.ts'
import { challengePage, expectOrder, fillCard, openCheckout, payButton } from '../fixtures/buyer.ts'
import { expect, test } from '../fixtures/world.ts'

// The shop's own screens are held to the same by `demo/test/browser/screens.test.ts`.
test('the checkout is usable by everybody inside the shop: its form, a decline, the bank and the end', async ({
  page,
}) => {
  const found: Record<string, readonly string[]> = {}
  const look = async (screen: string) => {
    found[screen] = await seriousFaults(page)
  }
  await openCheckout(page)
  await look('form')
  await payWith(page, 'declined')
  await look('declined')
  await fillCard(page, '4000 0000 0000 3220')
  await payButton(page).click()
  await expect(challengePage(page).getByLabel('Code')).toBeVisible()
  await look('challenge')
  await challengePage(page).getByLabel('Code').fill('1234')
  await challengePage(page).getByRole('button', { name: 'Confirm' }).click()
  await expectOrder(page, 'paid')
  await look('receipt')
  expect(found).toEqual({ form: [], declined: [], challenge: [], receipt: [] })
})
