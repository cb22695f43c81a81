import { payWith } from '@pi-checkout/element/testing'
import { seriousViolations } from '../fixtures/access.ts'
import { expectOrder, openCheckout, passChallenge, payWithChallenge } from '../fixtures/buyer.ts'
import { expect, test } from '../fixtures/test-stack.ts'

// `demo/test/browser/screens.test.ts` checks the shop's own screens.
test('the checkout is accessible inside the shop: form, decline, challenge, and receipt', async ({
  page,
}) => {
  const found: Record<string, readonly string[]> = {}
  const check = async (screen: string) => {
    found[screen] = await seriousViolations(page)
  }
  await openCheckout(page)
  await check('form')
  await payWith(page, 'declined')
  await check('declined')
  await payWithChallenge(page)
  await check('challenge')
  await passChallenge(page)
  await expectOrder(page, 'paid')
  await check('receipt')
  expect(found).toEqual({ form: [], declined: [], challenge: [], receipt: [] })
})
