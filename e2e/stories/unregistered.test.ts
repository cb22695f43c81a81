import { payWith } from '@pi-checkout/element/testing'
import { expectOrder } from '../fixtures/buyer.ts'
import { expect, test } from '../fixtures/test-stack.ts'

test('a shop whose origin is not registered shows the command that registers it', async ({
  page,
  stack,
  pageErrors,
}) => {
  const lines: string[] = []
  pageErrors.allow(/pi-checkout: origin_not_allowed/)
  page.on('console', (line) => lines.push(line.text()))
  const shop = await stack.startShop({ PI_SHOP_DATA: `${stack.data}/unregistered` })
  await page.goto(shop.ready.shopUrl)
  await page.getByTestId('add-to-cart').first().click()
  await expect(page.getByTestId('cart-count')).toHaveText('1')
  await page.goto(`${shop.ready.shopUrl}/cart`)
  await page.getByTestId('place-order').click()

  const checkout = page.getByTestId('checkout')
  const { shopUrl } = shop.ready
  const fix = `Run: npx pi-service origins add ${shopUrl}`
  await expect(checkout.getByRole('alert')).toContainText(
    'The payment form is not available right now.',
  )
  await expect(checkout.getByRole('alert')).toContainText(`origin_not_allowed. ${fix}`)
  expect(lines.filter((line) => line.includes(fix))).toHaveLength(1)
  const code = await checkout.evaluate((element) => Reflect.get(element, 'error').code)
  expect(code).toBe('origin_not_allowed')
  await expect(checkout.locator('iframe')).toHaveCount(0)
  // After this command the buyer can pay.
  await stack.administer('origins', 'add', shopUrl)
  await page.reload()
  await payWith(page, 'succeeded')
  await expectOrder(page, 'paid')
  await page.goto('about:blank')
  await shop.stop()
})
