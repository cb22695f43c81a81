import { payWith } from '@pi-checkout/element/testing'
import { expectOrder, nextHandoff, openCheckout, payButton } from '../fixtures/buyer.ts'
import { expect, test } from '../fixtures/test-stack.ts'

test('two tabs of an order share an intent, and one payment completes both', async ({
  page,
  context,
}) => {
  const first = await openCheckout(page)
  const second = await context.newPage()
  const handoff = nextHandoff(second)
  await second.goto(page.url())
  expect(await handoff).toEqual(first)
  await expect(payButton(second)).toBeEnabled()
  await page.bringToFront()
  await payWith(page, 'succeeded')
  await expectOrder(page, 'paid')
  await expectOrder(second, 'paid')
})
