import { payWith } from '@pi-checkout/element/testing'
import { cachingContext } from '../fixtures/base-test.ts'
import { expectOrder, expectPaid, openCheckout } from '../fixtures/buyer.ts'
import { expect, test } from '../fixtures/test-stack.ts'

test.use({ context: cachingContext })

test('Back after paying shows no form, with the back/forward cache', async ({ page, stack }) => {
  const { id } = await openCheckout(page)
  const address = page.url()
  await payWith(page, 'succeeded')
  await expectOrder(page, 'paid')

  // The order's page has replaced that of the payment.
  await page.goBack({ waitUntil: 'commit' })
  await page.waitForURL('**/cart')
  await expect(page.getByRole('heading', { name: 'Your cart is empty' })).toBeVisible()
  await page.goForward({ waitUntil: 'commit' })
  await expectOrder(page, 'paid')
  // Its address leads to the receipt.
  await page.goto(address)
  await expectPaid(page, stack, id)
  await expect(page.locator('pi-checkout')).toHaveCount(0)
})
