import { payWith } from '@pi-checkout/element/testing'
import type { Page } from '@playwright/test'
import { seriousFaults } from '../fixtures/access.ts'
import {
  challengePage,
  expectOrder,
  fillCard,
  openCheckout,
  orderOf,
  payButton,
} from '../fixtures/buyer.ts'
import { expect, test } from '../fixtures/world.ts'

test('every screen from the catalogue to the receipt is usable by everybody', async ({ page }) => {
  const found: Record<string, readonly string[]> = {}
  const look = async (screen: string) => {
    found[screen] = await seriousFaults(page)
  }
  await page.goto('/cart')
  await expect(page.getByRole('heading', { level: 1 })).toBeVisible()
  await look('empty cart')
  await page.goto('/orders')
  await expect(page.getByRole('heading', { level: 1 })).toBeVisible()
  await look('no orders')
  await page.goto('/')
  await expect(page.getByTestId('add-to-cart').first()).toBeVisible()
  await look('catalogue')
  await page.getByTestId('add-to-cart').first().click()
  await expect(page.getByTestId('cart-count')).toHaveText('1')
  await page.goto('/cart')
  await expect(page.getByTestId('place-order')).toBeVisible()
  await look('cart')
  await page.getByTestId('place-order').click()
  await expect(payButton(page)).toBeEnabled()
  await look('checkout')
  const order = orderOf(page)
  await page.goto(`/orders/${order}`)
  await expectOrder(page, 'open')
  await look('open order')
  await page.getByTestId('pay-now').click()
  await payWith(page, 'declined')
  await look('declined')
  await fillCard(page, '4000 0000 0000 3220')
  await payButton(page).click()
  await expect(challengePage(page).getByLabel('Code')).toBeVisible()
  await look('challenge')
  await challengePage(page).getByLabel('Code').fill('1234')
  await challengePage(page).getByRole('button', { name: 'Confirm' }).click()
  await expectOrder(page, 'paid')
  await look('receipt')
  await page.goto('/orders')
  await expect(page.locator(`a[href="/orders/${order}"]`)).toBeVisible()
  await look('orders')
  expect(found).toEqual(Object.fromEntries(Object.keys(found).map((screen) => [screen, []])))
})

test('a failed order is usable by everybody, and is tried again as itself', async ({ page }) => {
  await openCheckout(page)
  const order = orderOf(page)
  await payWith(page, 'stolen')
  await page.waitForURL(`**/orders/${order}`)
  await expectOrder(page, 'failed')
  expect(await seriousFaults(page)).toEqual([])
  await page.getByTestId('try-again').click()
  await payWith(page, 'success')
  await expectOrder(page, 'paid')
  expect(orderOf(page)).toBe(order)
})

test('a page that does not exist is usable by everybody', async ({ page, noise }) => {
  noise.allow(/status of 404/)
  await page.goto('/nowhere')
  await expect(page.getByRole('heading', { level: 1 })).toBeVisible()
  expect(await seriousFaults(page)).toEqual([])
})

for (const width of [390, 1280]) {
  test(`nothing moves while the checkout appears, ${width} pixels wide`, async ({ page }) => {
    await page.setViewportSize({ width, height: 900 })
    await page.addInitScript(() => {
      Object.assign(window, { shifts: [] })
      const note = (list: PerformanceObserverEntryList) => {
        for (const entry of list.getEntries()) {
          Reflect.get(window, 'shifts').push(Reflect.get(entry, 'value'))
        }
      }
      new PerformanceObserver(note).observe({ type: 'layout-shift', buffered: true })
    })
    await openCheckout(page)
    // A form that grows late would move what is under it.
    await page.waitForTimeout(500)
    expect(await shifts(page)).toEqual([])
  })
}

function shifts(page: Page): Promise<readonly number[]> {
  return page.evaluate(() => Reflect.get(window, 'shifts'))
}
