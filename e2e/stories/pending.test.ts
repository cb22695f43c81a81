import { payWith } from '@pi-checkout/element/testing'
import { intentsOf, settleIntent } from '@pi-checkout/test-support/sandbox'
import { createIntent } from '../fixtures/api.ts'
import {
  expectOrder,
  fillCard,
  hostedPage,
  openCheckout,
  orderOf,
  payButton,
} from '../fixtures/buyer.ts'
import { expect, test } from '../fixtures/test-stack.ts'

test('an order whose tab was closed shows the pending payment, and later its result', async ({
  page,
  context,
  stack,
}) => {
  const { id } = await openCheckout(page)
  const order = orderOf(page)
  await fillCard(page, '4000 0000 0000 0077')
  await payButton(page).click()
  await expect(hostedPage(page).getByText('Processing your payment')).toBeVisible()
  await page.close()

  const later = await context.newPage()
  await later.goto(`/orders/${order}`)
  await expectOrder(later, 'processing')
  await expect(later.getByTestId('edit-cart')).toHaveCount(0)
  await settleIntent(stack, id, 'succeeded')
  await expectOrder(later, 'paid')
  expect((await intentsOf(stack, id)).map(({ status }) => status)).toEqual(['succeeded'])
})

test('the page gets pi-finish again when a payment is declined late and another card pays', async ({
  page,
  stack,
  decorated,
}) => {
  const handoff = await createIntent(stack)
  await page.clock.install()
  await page.goto(decorated.publish([handoff]))
  await page.evaluate(`
    window.ended = 0
    document.addEventListener('pi-finish', () => { ended++ })`)
  await payWith(page, 'pending')
  await expect(hostedPage(page).getByText('Processing your payment')).toBeVisible()
  await page.clock.runFor(12_000)
  await expect(page.locator('pi-checkout:state(finished)')).toHaveCount(1)

  await settleIntent(stack, handoff.id, 'declined')
  await expect(page.locator('pi-checkout:state(ready)')).toHaveCount(1)
  await payWith(page, 'succeeded')
  await expect(page.locator('pi-checkout:state(finished)')).toHaveCount(1)
  expect(await page.evaluate('ended')).toBe(2)
})
