import { payWith } from '@pi-checkout/element/testing'
import { expectOrder, openCheckout } from '../fixtures/buyer.ts'
import { expect, test } from '../fixtures/world.ts'

test('a buyer pays by card, and the shop says paid after asking its own server', async ({
  page,
  world,
}) => {
  const { id } = await openCheckout(page)
  await payWith(page, 'success')
  await expectOrder(page, 'paid')

  const answer = await fetch(`${world.api.baseUrl}/payment-intents/${id}`, {
    headers: { authorization: `Bearer ${world.api.apiKey}` },
  })
  expect(await answer.json()).toMatchObject({ id, status: 'succeeded' })
})
