import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from '../fixtures/world.ts'

test("in a shop whose origin nobody registered, a readable sentence stands in the form's place", async ({
  page,
  world,
}) => {
  const data = await mkdtemp(join(tmpdir(), 'pi-e2e-'))
  const shop = await world.startShop({ PI_SHOP_DATA: data })
  await page.goto(shop.ready.shopUrl)
  await page.getByTestId('add-to-cart').first().click()
  await expect(page.getByTestId('cart-count')).toHaveText('1')
  await page.goto(`${shop.ready.shopUrl}/cart`)
  await page.getByTestId('place-order').click()

  const checkout = page.getByTestId('checkout')
  await expect(checkout.getByRole('alert')).toHaveText(
    'The payment form is not available right now.',
  )
  const code = await checkout.evaluate((element) => Reflect.get(element, 'error').code)
  expect(code).toBe('origin_not_allowed')
  await expect(checkout.locator('iframe')).toHaveCount(0)
  await shop.stop()
  await rm(data, { recursive: true })
})
