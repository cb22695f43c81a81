import type { Browser } from '@playwright/test'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { fillCart, openBrowser, openShop } from './shop-page.ts'

let browser: Browser
beforeAll(async () => {
  browser = await openBrowser()
})
afterAll(() => browser.close())

test('keeps the selected language and price list, on the hosted page too', async () => {
  const { page, close } = await openShop()
  await page.goto('/')
  await Promise.all([page.waitForEvent('load'), page.getByTestId('language').selectOption('ru')])
  await Promise.all([page.waitForEvent('load'), page.getByTestId('currency').selectOption('RUB')])
  await fillCart(page, ['lori-honey'])
  await page.goto('/cart')
  expect(await page.getByTestId('cart-total').textContent()).toMatch(/^1\s200,00\s₽$/)
  await page.getByTestId('place-order').click()
  await page.frameLocator('pi-checkout iframe').getByLabel('Номер карты').waitFor()
  await close()
})
