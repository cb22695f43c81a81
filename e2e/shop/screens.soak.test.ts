import { payWith } from '@pi-checkout/element/testing'
import type { Page } from '@playwright/test'
import axe from 'axe-core'
import { expectOrder, payButton } from '../fixtures/buyer.ts'
import { observeShifts, shiftOf } from '../fixtures/element-sites.ts'
import { expect, test } from '../fixtures/test-stack.ts'

const wide = { width: 1280, height: 900 }
const phone = { width: 390, height: 844 }

for (const { locale, colorScheme, viewport } of [
  { locale: 'ru', colorScheme: 'light', viewport: wide },
  { locale: 'hy', colorScheme: 'dark', viewport: phone },
] as const) {
  test.describe(`${locale}, ${colorScheme}, ${viewport.width}`, () => {
    test.use({ locale, colorScheme, viewport })
    test.setTimeout(180_000)

    test('each screen is accessible, without errors or layout shifts', async ({
      page,
      pageErrors,
    }, info) => {
      const look = async (name: string): Promise<void> => {
        await expect(page.locator('h1').first()).toBeVisible()
        await page.evaluate(() => document.fonts.ready.then(() => {}))
        await page.screenshot({ path: info.outputPath(`${name}.png`) })
        // Before the long search for faults: a page that waits may have its response by then.
        expect(await shiftOf(page), name).toBe(0)
        expect(await seriousFaults(page), name).toEqual([])
        const overflow = await page.evaluate(() => {
          const { scrollWidth, clientWidth } = document.documentElement
          return scrollWidth - clientWidth
        })
        expect(overflow, `${name} is no wider than the screen`).toBe(0)
      }
      await observeShifts(page)
      await page.goto('/')
      await look('1-shop')
      await page.goto('/cart')
      await look('2-cart-empty')
      await page.goto('/orders')
      await look('3-orders-empty')
      await fillCart(page, ['pomegranate-vase', 'lori-honey', 'lori-honey'])
      await page.goto('/cart')
      await look('4-cart')
      await page.getByTestId('place-order').click()
      await formReady(page)
      // For a form that grows late.
      await page.waitForTimeout(500)
      await look('5-pay')
      const order = new URL(page.url()).pathname.split('/').at(-1)
      await page.goto(`/orders/${order}`)
      await expectOrder(page, 'open')
      await look('7-not-paid')
      await page.goto(`/orders/${order}`)
      await look('8-order')
      await page.getByTestId('pay-now').click()
      await formReady(page)
      await page.goto('/orders')
      await look('9-orders')
      pageErrors.allow(/status of 404/)
      await page.goto('/orders/unknown')
      await look('10-not-found')
      await page.goto('/nowhere')
      await look('11-nowhere')
    })
  })
}

test.describe('on a phone', () => {
  test.use({ viewport: phone })

  test('receipt and failed order appear without loading a page, or layout shifts', async ({
    page,
  }, info) => {
    await observeShifts(page)
    await fillCart(page, ['thyme-tea'])
    await page.goto('/cart')
    await page.getByTestId('place-order').click()
    await expect(payButton(page)).toBeEnabled()
    await payWith(page, 'stolen')
    await expectOrder(page, 'failed')
    const failed = page.url()
    await page.screenshot({ path: info.outputPath('failed.png') })
    expect(await seriousFaults(page)).toEqual([])

    await page.getByTestId('try-again').click()
    await expect(payButton(page)).toBeEnabled()
    await page.evaluate('document.sameOne = true')
    await payWith(page, 'succeeded')
    await expectOrder(page, 'paid')
    expect(await page.evaluate('document.sameOne')).toBe(true)
    expect(page.url(), 'the same order').toBe(failed)
    await expect(page.locator('h1')).toBeFocused()
    await page.screenshot({ path: info.outputPath('paid.png') })
    expect(await seriousFaults(page)).toEqual([])
    expect(await shiftOf(page)).toBe(0)
    await page.emulateMedia({ media: 'print' })
    await page.screenshot({ path: info.outputPath('print.png') })
  })
})

async function fillCart(page: Page, products: readonly string[]): Promise<void> {
  await page.goto('/')
  for (const [index, product] of products.entries()) {
    await page.locator(`#step-1-${product}`).click()
    await expect(page.getByTestId('cart-count')).toHaveText(String(index + 1))
  }
}

/** Waits for the form in any language. */
async function formReady(page: Page): Promise<void> {
  await expect(page.locator('pi-checkout:state(ready)')).toHaveCount(1)
}

/** What axe calls serious or critical in the shop's own page; the hosted page has its own tests. */
async function seriousFaults(page: Page): Promise<string[]> {
  // Evaluated, not injected: the page's policy forbids a script of another's.
  await page.evaluate(`${axe.source}; undefined`)
  const run = 'axe.run(document, { iframes: false })'
  const { violations } = await page.evaluate<axe.AxeResults>(run)
  return violations
    .filter(({ impact }) => impact === 'serious' || impact === 'critical')
    .map(({ id, nodes }) => [id, ...nodes.map(({ target }) => JSON.stringify(target))].join(' '))
}
