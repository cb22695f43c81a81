import { expect, test } from 'vitest'
import { fillCart, openCheckout, openShop, useBrowser } from './shop-page.ts'

useBrowser()

test('keeps the selected language and price list, on the hosted page too', async () => {
  const { page } = await openShop()
  await page.goto('/')
  await Promise.all([page.waitForEvent('load'), page.getByTestId('language').selectOption('ru')])
  await Promise.all([page.waitForEvent('load'), page.getByTestId('currency').selectOption('RUB')])
  await fillCart(page, ['lori-honey'])
  await page.goto('/cart')
  expect(await page.getByTestId('cart-total').textContent()).toMatch(/^1\s200,00\s₽$/)
  await page.getByTestId('place-order').click()
  await page.frameLocator('pi-checkout iframe').getByLabel('Номер карты').waitFor()
})

test('changes the language next to the payment form without losing typed card data', async () => {
  const { page } = await openShop()
  await openCheckout(page)
  const frame = page.frameLocator('pi-checkout iframe')
  await frame.getByLabel('Card number').fill('4242 4242')
  await page.getByTestId('language').selectOption('hy')
  await page.getByRole('heading', { name: 'Վճարում' }).waitFor()
  const number = frame.getByLabel('Քարտի համարը')
  await number.waitFor()
  expect(await number.inputValue()).toBe('4242 4242')
  // Prices of a placed order do not change.
  expect(await page.getByTestId('currency').count()).toBe(0)
})

test('works without scripts, except paying', async () => {
  const { page } = await openShop({ javaScriptEnabled: false })
  await page.goto('/')
  await page.locator('[data-product=lori-honey]').click()
  await page.getByTestId('cart-count').getByText('1').waitFor()
  await page.getByTestId('language').selectOption('ru')
  await page.getByRole('button', { name: 'Apply' }).click()
  await page.goto('/cart')
  await page.getByRole('button', { name: 'На одну больше' }).click()
  await page.getByTestId('cart-count').getByText('2').waitFor()
  await page.getByTestId('place-order').click()
  await page.waitForURL('**/pay/*')
  await page.goto('/orders')
  await page.getByText('Лорийский мёд × 2').waitFor()
})
