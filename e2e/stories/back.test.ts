import { payWith } from '@pi-checkout/element/testing'
import { expectOrder, openCheckout, orderOf } from '../fixtures/buyer.ts'
import { intentsOf } from '../fixtures/sandbox.ts'
import { expect, test } from '../fixtures/world.ts'

test('Back after paying shows the paid order, with the back/forward cache on, and nothing to pay again (threat 54)', async ({
  playwright,
  launchOptions,
  world,
}) => {
  const browser = await playwright.chromium.launch({
    ...launchOptions,
    ignoreDefaultArgs: ['--disable-back-forward-cache'],
  })
  const page = await browser.newPage({ baseURL: world.shopUrl, locale: 'en-US' })
  const { id } = await openCheckout(page)
  const order = orderOf(page)
  await payWith(page, 'success')
  await expectOrder(page, 'paid')
  const paidAt = page.url()

  await page.goBack({ waitUntil: 'commit' })
  // The checkout's address now leads to the receipt, whether the page was kept or is loaded anew.
  await page.waitForURL(paidAt)
  await expectOrder(page, 'paid')
  await expect(page.locator('pi-checkout')).toHaveCount(0)
  expect((await intentsOf(world, id)).map(({ status }) => status)).toEqual(['succeeded'])
  expect(paidAt).toContain(order)
  await browser.close()
})
