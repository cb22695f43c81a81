import type { Browser } from '@playwright/test'
import { afterAll, beforeAll, expect, test } from 'vitest'
import {
  fillCart,
  formReady,
  house,
  openBrowser,
  openCheckout,
  orderShows,
  payWith,
  visit,
} from './visitor.ts'

let browser: Browser
beforeAll(async () => {
  browser = await openBrowser()
})
afterAll(() => browser.close())

test('Back after paying leads to the receipt, never to a second payment', async () => {
  const { page, leave } = await visit()
  const orderId = await openCheckout(page)
  await payWith(page, 'success')
  await orderShows(page, 'paid')
  await page.goBack()
  await orderShows(page, 'paid')
  expect(new URL(page.url()).pathname).toBe(`/orders/${orderId}`)
  await leave()
})

test('a tab that was closed while the bank was at work is settled without its buyer', async () => {
  const { page, leave } = await visit()
  const orderId = await openCheckout(page, ['thyme-tea'])
  const context = page.context()
  await payWith(page, 'slow')
  await page.close()
  const office = await context.newPage()
  await office.goto(house.adminUrl)
  const row = office.locator(`[data-order="${orderId}"]`)
  await expect
    .poll(
      async () => {
        await office.getByTestId('reconcile').click()
        return row.locator('.badge').textContent()
      },
      { timeout: 20_000, interval: 1000 },
    )
    .toBe('paid')
  await leave()
})

test('a buyer who pays in a tab with the cart of before is told, and the order stays open', async () => {
  const { page, leave } = await visit()
  const orderId = await openCheckout(page, ['dried-apricots'])
  const other = await page.context().newPage()
  expect(await openCheckout(other, ['thyme-tea'])).toBe(orderId)
  await payWith(page, 'success')
  await page.getByTestId('stray-payment').waitFor()
  await orderShows(page, 'open')
  expect(await page.getByTestId('stray-payment').textContent()).toContain('֏3,200')

  await payWith(other, 'success')
  await orderShows(other, 'paid')
  const office = await page.context().newPage()
  await office.goto(house.adminUrl)
  await office.locator(`[data-order="${orderId}"]`).getByTestId('alert').waitFor()
  await leave()
})

test('a lost answer shows as attempt 2 with the same key, and one intent', async () => {
  const { page, leave } = await visit()
  await openCheckout(page)
  await page.getByTestId('inspector').locator('summary').click()
  await page.getByTestId('lose-answer').click()
  await page.waitForEvent('load')
  await formReady(page)
  await page.getByTestId('inspector').locator('summary').click()
  const steps = page.getByTestId('step')
  await steps.filter({ hasText: 'attempt 2' }).waitFor()
  const creates = await steps.filter({ hasText: 'Idempotency-Key' }).allTextContents()
  const keys = creates.map((text) => /Idempotency-Key (\S+)/.exec(text)?.[1])
  expect(creates.map((text) => /attempt \d/.exec(text)?.[0])).toEqual([
    'attempt 1',
    'attempt 1',
    'attempt 2',
  ])
  expect(new Set(keys).size).toBe(1)
  await steps.filter({ hasText: 'the page received: id, clientSecret' }).first().waitFor()
  await page.goto(house.adminUrl)
  await leave()
})

test('the inspector names fields and shows no secret', async () => {
  const { page, leave } = await visit()
  const received = page.waitForResponse('**/checkout/handoff')
  const orderId = await openCheckout(page)
  const { clientSecret } = await (await received).json()
  const trace = await (await page.request.get(`/api/trace/${orderId}`)).text()
  expect(trace).toContain('the page received: id, clientSecret')
  expect(trace).not.toContain(clientSecret)
  expect(trace).not.toContain(house.apiKey)
  await leave()
})

test('a buyer without a mouse fills the cart and reaches the form', async () => {
  const { page, leave } = await visit()
  await page.goto('/')
  await page.locator('[data-product=thyme-tea]').focus()
  await page.keyboard.press('Enter')
  await page.getByText('In your cart: 1').waitFor()
  await page.goto('/cart')
  await page.getByTestId('place-order').focus()
  await page.keyboard.press('Space')
  await page.waitForURL('**/pay/*')
  await formReady(page)
  await leave()
})

test('a chosen language and price list stay, on the hosted page too', async () => {
  const { page, leave } = await visit()
  await page.goto('/')
  await Promise.all([page.waitForEvent('load'), page.getByTestId('language').selectOption('ru')])
  await Promise.all([page.waitForEvent('load'), page.getByTestId('currency').selectOption('RUB')])
  await fillCart(page, ['lori-honey'])
  await page.goto('/cart')
  expect(await page.getByTestId('cart-total').textContent()).toMatch(/^1\s200,00\s₽$/)
  await page.getByTestId('place-order').click()
  await page.frameLocator('pi-checkout iframe').getByLabel('Номер карты').waitFor()
  await leave()
})
