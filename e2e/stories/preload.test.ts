import { addToCart, payButton } from '../fixtures/buyer.ts'
import { expect, test } from '../fixtures/test-stack.ts'

test('the payment form finds its scripts in the cache after the cart', async ({ page, stack }) => {
  await addToCart(page)
  const preloaded = page.waitForEvent('requestfinished', (request) =>
    /checkout-assets\/form-/.test(request.url()),
  )
  await page.goto('/cart')
  await preloaded
  await page.getByTestId('place-order').click()
  await expect(payButton(page)).toBeEnabled()
  const frame = page
    .frames()
    .find((each) => each.url().startsWith(`${stack.api.checkoutOrigin}/checkout/`))
  const transferred = await frame?.evaluate(() =>
    (performance.getEntriesByType('resource') as PerformanceResourceTiming[])
      .filter(({ name }) => name.endsWith('.js'))
      .map(({ transferSize }) => transferSize),
  )
  expect(transferred?.length).toBeGreaterThan(2)
  expect(transferred?.filter((size) => size > 0)).toEqual([])
})
