import { payWith } from '@pi-checkout/element/testing'
import { control } from '@pi-checkout/test-support/sandbox'
import type { Page } from '@playwright/test'
import { addToCart, expectOrder, orderCart, orderOf, payButton } from '../fixtures/buyer.ts'
import { observeShifts, shiftOf } from '../fixtures/element-sites.ts'
import { violationsIn } from '../fixtures/hosted-form.ts'
import { expect, test } from '../fixtures/test-stack.ts'

const looks = [
  { colorScheme: 'light', viewport: { width: 1280, height: 900 }, narrow: 1280 },
  { colorScheme: 'dark', viewport: { width: 390, height: 844 }, narrow: 320 },
] as const

for (const { colorScheme, viewport, narrow } of looks) {
  test.describe(`${colorScheme}, ${viewport.width}`, () => {
    test.use({ colorScheme, viewport })
    test.setTimeout(180_000)

    test('each screen is accessible, without errors, scrolling sideways, or layout shifts', async ({
      page,
      stack,
      pageErrors,
    }) => {
      const look = async (name: string): Promise<void> => {
        await expect(page.locator('h1').first()).toBeVisible()
        await page.evaluate(() => document.fonts.ready.then(() => {}))
        expect(await shiftOf(page), name).toBe(0)
        expect(await violationsIn(page), name).toEqual([])
        const expectFit = async (width: number, size: string): Promise<void> => {
          await page.setViewportSize({ ...viewport, width })
          await page.evaluate((value) => {
            document.documentElement.style.fontSize = value
          }, size)
          expect(await overflowOf(page), `${name}, ${width}, text at ${size}`).toBe(0)
        }
        await expectFit(viewport.width, '200%')
        await expectFit(narrow, '100%')
        if (narrow < viewport.width) {
          await page.emulateMedia({ forcedColors: 'active' })
          expect(await violationsIn(page), `${name} in forced colors`).toEqual([])
          await page.emulateMedia({ forcedColors: 'none' })
        }
        await expectFit(viewport.width, '100%')
      }
      const open = async (path: string): Promise<void> => {
        await page.goto(path)
        await look(path.slice(1).replaceAll('/', '-') || 'shop')
      }
      await observeShifts(page)
      for (const path of ['/cart', '/how-this-shop-takes-payments']) await open(path)
      await addToCart(page, 0)
      await addToCart(page, 2, 2)
      for (const path of ['/', '/cart']) await open(path)
      await orderCart(page)
      // For a form that grows late.
      await page.waitForTimeout(500)
      await look('pay')
      const order = `/orders/${orderOf(page)}`
      for (const [outcome, state] of [
        ['canceled', 'canceled'],
        ['stolen', 'failed'],
        ['succeeded', 'paid'],
      ] as const) {
        if (state !== 'canceled') await page.getByTestId('pay-now').click()
        await expect(payButton(page)).toBeEnabled()
        await payWith(page, outcome)
        // The shop leads to the page of an order that is paid.
        if (state === 'paid') await page.waitForURL(`**${order}`)
        else {
          await expect(page.getByRole('button', { name: 'Try again' })).toBeVisible()
          await page.goto(order)
        }
        await expectOrder(page, state)
        await look(state)
      }
      await addToCart(page, 1)
      const pending = await orderCart(page)
      const processing = `**/orders/${orderOf(page)}`
      await payWith(page, 'pending')
      await page.waitForURL(processing)
      await expectOrder(page, 'processing')
      await look('processing')
      await control(stack, `/intents/${pending.id}/settle`, { outcome: 'succeeded' })
      pageErrors.allow(/status of 40[14]/)
      for (const path of ['/orders/unknown', '/nowhere', '/staff']) await open(path)
    })
  })
}

async function overflowOf(page: Page): Promise<number> {
  return await page.evaluate(() => {
    const { scrollWidth, clientWidth } = document.documentElement
    return scrollWidth - clientWidth
  })
}
