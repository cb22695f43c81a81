import { payWith } from '@pi-checkout/element/testing'
import { hostedPage, openCheckout, orderOf } from '../fixtures/buyer.ts'
import { test as base, expect } from '../fixtures/test-stack.ts'

/** `test` with another shop of the merchant, which reconciles every 500 ms. */
const test = base.extend({
  baseURL: async ({ stack }, use) => {
    const variables = { PI_SHOP_DATA: `${stack.data}/closed-tab`, PI_RECONCILE_MS: '500' }
    const shop = await stack.startShop(variables)
    await stack.administer('origins', 'add', shop.ready.shopUrl)
    await use(shop.ready.shopUrl)
    await shop.stop()
  },
})

test('an order is paid although the buyer closed the tab during the payment', async ({
  page,
  context,
}) => {
  await openCheckout(page)
  const order = orderOf(page)
  // The bank takes five seconds; the buyer leaves before.
  await payWith(page, 'slow')
  await expect(hostedPage(page).getByText('Processing your payment')).toBeVisible()
  await page.close()

  // The list of orders sends no request to the service: the shop has retrieved the intent without a page.
  const later = await context.newPage()
  const badge = later.locator(`a[href="/orders/${order}"] .badge`)
  await expect(async () => {
    await later.goto('/orders')
    expect(await badge.getAttribute('data-state')).toBe('paid')
  }).toPass()
})
