import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { payWith } from '@pi-checkout/element/testing'
import { expectOrder } from '../fixtures/buyer.ts'
import { expect, test } from '../fixtures/world.ts'

test('a shop whose origin is not registered shows the command that registers it', async ({
  page,
  world,
  noise,
}) => {
  const lines: string[] = []
  noise.allow(/pi-checkout: origin_not_allowed/)
  page.on('console', (line) => lines.push(line.text()))
  const data = await mkdtemp(join(tmpdir(), 'pi-e2e-'))
  const shop = await world.startShop({ PI_SHOP_DATA: data })
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
  await expect(checkout.getByRole('alert')).toContainText(`origin_not_allowed. This page is not`)
  await expect(checkout.getByRole('alert')).toContainText(fix)
  expect(lines.filter((line) => line.includes(fix))).toHaveLength(1)
  const code = await checkout.evaluate((element) => Reflect.get(element, 'error').code)
  expect(code).toBe('origin_not_allowed')
  await expect(checkout.locator('iframe')).toHaveCount(0)
  // The command is right: with it the buyer pays.
  await world.administer('origins', 'add', shopUrl)
  await page.reload()
  await payWith(page, 'success')
  await expectOrder(page, 'paid')
  await page.goto('about:blank')
  await shop.stop()
  await rm(data, { recursive: true })
})
