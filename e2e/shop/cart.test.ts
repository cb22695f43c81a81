import { expect, test } from '../fixtures/test-stack.ts'

for (const javaScriptEnabled of [true, false]) {
  test.describe(javaScriptEnabled ? 'with scripts' : 'without scripts', () => {
    test.use({ javaScriptEnabled, viewport: { width: 390, height: 844 } })

    test('a product in the cart has "− 1 +" in place of its button, and a way to the cart', async ({
      page,
    }) => {
      await page.goto('/')
      const card = page.locator('.product').first()
      await card.getByRole('button', { name: 'Add to cart' }).click()
      await card.getByRole('button', { name: 'Add one' }).click()
      await expect(card.locator('output')).toHaveText('2')
      await expect(card.getByRole('button', { name: 'Add to cart' })).toHaveCount(0)
      await expect(card).toBeInViewport()
      await card.getByRole('button', { name: 'Remove one' }).click()
      await expect(page.getByTestId('cart-count')).toHaveText('1')
      await card.getByRole('link', { name: 'View cart' }).click()
      await expect(page.getByTestId('cart-total')).toHaveText('֏18,500')
      await page.goBack()
      await card.getByRole('button', { name: 'Remove one' }).click()
      await expect(card.getByRole('button', { name: 'Add to cart' })).toBeVisible()
    })
  })
}
