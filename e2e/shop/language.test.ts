import { hostedPage, openCheckout } from '../fixtures/buyer.ts'
import { expect, test } from '../fixtures/test-stack.ts'

test('keeps the selected language and price list, on the hosted page too', async ({ page }) => {
  await page.goto('/')
  await Promise.all([page.waitForEvent('load'), page.getByTestId('language').selectOption('ru')])
  await Promise.all([page.waitForEvent('load'), page.getByTestId('currency').selectOption('RUB')])
  await page.locator('#step-1-lori-honey').click()
  await expect(page.getByTestId('cart-count')).toHaveText('1')
  await page.goto('/cart')
  await expect(page.getByTestId('cart-total')).toHaveText(/^1\s200,00\s₽$/)
  await page.getByTestId('place-order').click()
  await expect(hostedPage(page).getByLabel('Номер карты')).toBeVisible()
})

test('changes the language next to the payment form without losing typed card data', async ({
  page,
}) => {
  await openCheckout(page)
  await hostedPage(page).getByLabel('Card number').fill('4242 4242')
  await page.getByTestId('language').selectOption('hy')
  await expect(page.getByRole('heading', { name: 'Վճարում' })).toBeVisible()
  await expect(hostedPage(page).getByLabel('Քարտի համարը')).toHaveValue('4242 4242')
  // Prices of a placed order do not change.
  await expect(page.getByTestId('currency')).toHaveCount(0)
})

test.describe('without scripts', () => {
  test.use({ javaScriptEnabled: false })

  test('everything works up to the full page', async ({ page, stack }) => {
    await page.goto('/')
    await page.locator('#step-1-lori-honey').click()
    await expect(page.getByTestId('cart-count')).toHaveText('1')
    await page.getByTestId('language').selectOption('ru')
    await page.getByRole('button', { name: 'Apply' }).click()
    await page.goto('/cart')
    await page.getByRole('button', { name: 'На одну больше' }).click()
    await expect(page.getByTestId('cart-count')).toHaveText('2')
    await page.getByTestId('place-order').click()
    await page.waitForURL('**/pay/*')
    await page.getByRole('button', { name: 'Оплатить на отдельной странице' }).click()
    await page.getByRole('button', { name: 'Перейти к оплате' }).click()
    await page.waitForURL(`${stack.api.checkoutOrigin}/checkout/*/page?*`)
    await page.goto('/orders')
    await expect(page.getByText('Лорийский мёд × 2')).toBeVisible()
  })
})

test('shows the dram sign although its font arrives late', async ({ page }) => {
  await page.route(/\/dram-/, async (route) => {
    await new Promise((resolve) => setTimeout(resolve, 1000))
    await route.continue()
  })
  await page.goto('/')
  const price = page.getByText('֏').first()
  const late = await price.screenshot()
  await page.unrouteAll()
  await page.reload()
  expect(late.equals(await price.screenshot())).toBe(true)
})
