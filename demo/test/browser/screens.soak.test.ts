import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import type { Page } from '@playwright/test'
import { expect, test } from 'vitest'
import {
  fillCart,
  formReady,
  keepScreen,
  openShop,
  orderShows,
  payWith,
  useBrowser,
} from './shop-page.ts'

const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core'), 'utf8')

useBrowser()

const wide = { width: 1280, height: 900 }
const phone = { width: 390, height: 844 }

for (const { locale, colorScheme, viewport } of [
  { locale: 'en', colorScheme: 'light', viewport: wide },
  { locale: 'hy', colorScheme: 'dark', viewport: phone },
  { locale: 'ru', colorScheme: 'dark', viewport: wide },
] as const) {
  const look = `${locale}-${colorScheme}-${viewport.width}`

  test(`each screen is accessible, without errors or layout shifts: ${look}`, async () => {
    const { page, errors, layoutShifts } = await openShop({ locale, colorScheme, viewport })
    const look = async (name: string): Promise<void> => {
      await page.locator('h1').first().waitFor()
      await page.evaluate('document.fonts.ready.then(() => {})')
      await keepScreen(page, `${locale}-${colorScheme}-${viewport.width}-${name}`)
      // Before the long search for faults: a page that waits may have its response by then.
      expect(await layoutShifts(), name).toEqual([])
      expect(await seriousFaults(page), name).toEqual([])
      const overflow = 'document.documentElement.scrollWidth - document.documentElement.clientWidth'
      expect(await page.evaluate(overflow), `${name} is no wider than the screen`).toBe(0)
    }
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
    await page.waitForURL('**/pay/*')
    await formReady(page)
    // For a form that grows late.
    await page.waitForTimeout(500)
    await look('5-pay')
    const orderId = new URL(page.url()).pathname.split('/').at(-1)
    await page.goto(`/confirming/${orderId}`)
    await look('6-confirming')
    await orderShows(page, 'open')
    // Another text, hence other lines: that is no page that jumps while it loads.
    await page.evaluate('layoutShifts = []')
    await look('7-not-paid')
    await page.goto(`/orders/${orderId}`)
    await look('8-order')
    await page.getByTestId('pay-now').click()
    await formReady(page)
    await page.goto('/orders')
    await look('9-orders')
    expect(errors).toEqual([])
    await page.goto('/orders/unknown')
    await look('10-not-found')
    await page.goto('/nowhere')
    await look('11-nowhere')
  })
}

test('receipt and failed order appear without loading a page, errors, or layout shifts', async () => {
  const { page, errors, layoutShifts } = await openShop({ viewport: phone })
  await fillCart(page, ['thyme-tea'])
  await page.goto('/cart')
  await page.getByTestId('place-order').click()
  await formReady(page)
  await payWith(page, 'stolen')
  await orderShows(page, 'failed')
  const failed = page.url()
  await keepScreen(page, 'en-light-390-13-failed')
  expect(await seriousFaults(page)).toEqual([])

  await page.getByTestId('try-again').click()
  await formReady(page)
  await page.evaluate('document.sameOne = true')
  await payWith(page, 'succeeded')
  await orderShows(page, 'paid')
  expect(await page.evaluate('document.sameOne')).toBe(true)
  expect(page.url(), 'the same order').toBe(failed)
  expect(await page.evaluate('document.activeElement.tagName')).toBe('H1')
  await keepScreen(page, 'en-light-390-14-paid')
  expect(await seriousFaults(page)).toEqual([])
  expect(await layoutShifts()).toEqual([])
  await page.emulateMedia({ media: 'print' })
  await keepScreen(page, 'print-15-receipt')
  expect(errors).toEqual([])
})

/** What axe calls serious or critical in the shop's own page; the hosted page has its own tests. */
async function seriousFaults(page: Page): Promise<string[]> {
  // Evaluated, not injected: the page's policy forbids a script of another's.
  await page.evaluate(`${axe}; undefined`)
  const { violations } = await page.evaluate<AxeResult>('axe.run(document, { iframes: false })')
  return violations
    .filter(({ impact }) => impact === 'serious' || impact === 'critical')
    .map(({ id, nodes }) => [id, ...nodes.map(({ target }) => JSON.stringify(target))].join(' '))
}

interface AxeResult {
  readonly violations: readonly {
    readonly id: string
    readonly impact: string
    readonly nodes: readonly { readonly target: unknown }[]
  }[]
}
