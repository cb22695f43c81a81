import { payWith } from '@pi-checkout/element/testing'
import { intentsOf } from '@pi-checkout/test-support/sandbox'
import { expectOrder, openCheckout, orderOf } from '../fixtures/buyer.ts'
import { cachingContext } from '../fixtures/caching-context.ts'
import { expect, test } from '../fixtures/test-stack.ts'

test.use({ context: cachingContext })

test('Back after paying shows the paid order, with the back/forward cache on (threat 54)', async ({
  page,
  stack,
}) => {
  const { id } = await openCheckout(page)
  const order = orderOf(page)
  await payWith(page, 'succeeded')
  await expectOrder(page, 'paid')
  const paidAt = page.url()

  await page.goBack({ waitUntil: 'commit' })
  // The checkout's address leads to the receipt, whether the page was cached or is loaded again.
  await page.waitForURL(paidAt)
  await expectOrder(page, 'paid')
  await expect(page.locator('pi-checkout')).toHaveCount(0)
  expect((await intentsOf(stack, id)).map(({ status }) => status)).toEqual(['succeeded'])
  expect(paidAt).toContain(order)
})
