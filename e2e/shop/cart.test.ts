import type { Page } from '@playwright/test'
import { addToCart, orderCart } from '../fixtures/buyer.ts'
import { expect, test } from '../fixtures/test-stack.ts'

const phone = { width: 390, height: 844 }

for (const javaScriptEnabled of [true, false]) {
  test.describe(javaScriptEnabled ? 'with scripts' : 'without scripts', () => {
    test.use({ javaScriptEnabled, viewport: phone })

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

test('with a keyboard, the buttons of a product follow after it was added to the cart', async ({
  page,
}) => {
  await page.goto('/')
  const card = page.locator('.product').nth(1)
  await card.getByRole('button', { name: 'Add to cart' }).press('Enter')
  await expect(card.locator('output')).toHaveText('1')
  await page.keyboard.press('Tab')
  await expect(card.getByRole('button', { name: 'Remove one' })).toBeFocused()
})

test('fits a phone with text at 200 %: nothing overlaps or leaves its card', async ({ page }) => {
  await page.setViewportSize(phone)
  await addToCart(page, 1)
  await addToCart(page, 2, 2)
  await orderCart(page)
  const pay = new URL(page.url()).pathname
  for (const path of ['/', '/cart', '/orders', pay.replace('pay', 'orders'), pay]) {
    await page.goto(path)
    await page.evaluate(() => document.documentElement.style.setProperty('font-size', '200%'))
    expect([path, await overlaps(page)]).toEqual([path, []])
  }
})

test('shows the dram sign although its font arrives late', async ({ page }) => {
  await page.route('**/fonts/dram*', async (route) => {
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

/** Texts that leave the page or their card, and texts that cover each other. */
async function overlaps(page: Page): Promise<string[]> {
  return await page.evaluate(() => {
    const texts = [...document.querySelectorAll('main *, .top *')].filter(
      (element) =>
        !element.matches('.skip') &&
        element.checkVisibility() &&
        [...element.childNodes].some((node) => node instanceof Text && node.data.trim()),
    )
    const boxes = texts.map((element) => {
      const range = new Range()
      range.selectNodeContents(element)
      const card = element.closest('.card, body')
      return { element, box: range.getBoundingClientRect(), card: card?.getBoundingClientRect() }
    })
    const text = ({ textContent }: Element): string => textContent?.trim() ?? ''
    return boxes.flatMap(({ element, box, card }, at) => [
      ...(card && box.right > card.right + 1 ? [`${text(element)} leaves its card`] : []),
      ...boxes
        .slice(at + 1)
        .filter(({ element: other }) => !element.contains(other))
        .filter(({ box: other }) => {
          const width = Math.min(box.right, other.right) - Math.max(box.left, other.left)
          const height = Math.min(box.bottom, other.bottom) - Math.max(box.top, other.top)
          return width > 1 && height > 4
        })
        .map(({ element: other }) => `${text(element)} covers ${text(other)}`),
    ])
  })
}
