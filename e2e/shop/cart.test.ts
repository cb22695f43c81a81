import type { Locator, Page } from '@playwright/test'
import { addToCart, openCheckout, orderCart, orderOf } from '../fixtures/buyer.ts'
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

test('keeps the focus on the button that adds one, and returns it with the last one', async ({
  page,
}) => {
  await page.goto('/')
  const card = page.locator('.product').first()
  await card.getByRole('button', { name: 'Add to cart' }).focus()
  await page.keyboard.press('Enter')
  await expect(card.getByRole('button', { name: 'Add one' })).toBeFocused()
  await card.getByRole('button', { name: 'Remove one' }).focus()
  await page.keyboard.press('Enter')
  await expect(card.getByRole('button', { name: 'Add to cart' })).toBeFocused()
})

test('shows the total above the form on a phone, and the whole order on request', async ({
  page,
}) => {
  await page.setViewportSize(phone)
  await openCheckout(page)
  const order = page.getByRole('region', { name: 'Your order' })
  await expect(order.locator('.brief')).toHaveText('֏18,500')
  await expect(order.getByTestId('edit-cart')).toBeHidden()
  expect(await topOf(order)).toBeLessThan(await topOf(page.locator('pi-checkout')))
  const { height } = (await page.locator('#show-order').boundingBox()) ?? {}
  expect(height).toBe(1)
  await order.getByText('Your order').click()
  expect(await page.locator('#show-order').boundingBox()).toMatchObject({ height })
  await expect(order.locator('.brief')).toBeHidden()
  await expect(order.getByTestId('order-total')).toBeVisible()
  await expect(order.getByTestId('edit-cart')).toBeVisible()
  // The form has the number.
  await expect(order).not.toContainText(orderOf(page))
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
    if (path === pay) await page.getByText('Your order').click()
    expect([path, await overlaps(page)]).toEqual([path, []])
  }
})

test('the pictures of orders have one size', async ({ page }) => {
  await openCheckout(page)
  await page.goto('/orders')
  const { width } = (await page.locator('.stack img').boundingBox()) ?? {}
  expect(width).toBe(52)
})

async function topOf(part: Locator): Promise<number> {
  return (await part.boundingBox())?.y ?? Number.NaN
}

/** Texts that leave the page or their card, and texts that cover each other. */
async function overlaps(page: Page): Promise<string[]> {
  return await page.evaluate(() => {
    const texts = [...document.querySelectorAll('main *, .top *')].filter(
      (element) =>
        !element.matches('option, .hidden-text') &&
        element.checkVisibility() &&
        [...element.childNodes].some((node) => node instanceof Text && node.data.trim()),
    )
    const boxes = texts.map((element) => {
      const range = new Range()
      range.selectNodeContents(element)
      const card = element.closest('.summary, .order-card, .sum, body')
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
