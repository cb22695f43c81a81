import type { Browser } from '@playwright/test'
import { afterAll, beforeAll, expect, test } from 'vitest'
import {
  fillCart,
  formReady,
  openBrowser,
  openCheckout,
  openShop,
  orderShows,
} from './shop-page.ts'

let browser: Browser
beforeAll(async () => {
  browser = await openBrowser()
})
afterAll(() => browser.close())

test('a shop that does not answer says so, and nothing is lost', async () => {
  const { page, close } = await openShop()
  await fillCart(page, ['thyme-tea'])
  await page.goto('/cart')
  await page.route('**/api/cart/**', (route) => route.abort())
  await page.getByRole('button', { name: 'One more' }).click()
  await page.getByRole('heading', { name: 'The shop does not answer' }).waitFor()
  await page.unroute('**/api/cart/**')
  await page.getByRole('button', { name: 'Try again' }).click()
  await page.getByTestId('line-thyme-tea').waitFor()
  await close()
})

test('a form that cannot be prepared says so, and Try again brings it', async () => {
  const { page, close } = await openShop()
  await fillCart(page, ['thyme-tea'])
  await page.goto('/cart')
  await page.route('**/checkout/handoff', (route) => route.fulfill({ status: 503, body: '{}' }))
  await page.getByTestId('place-order').click()
  await page.getByRole('alert').getByText('could not be prepared').waitFor()
  await page.unroute('**/checkout/handoff')
  await page.getByRole('button', { name: 'Try again' }).click()
  await formReady(page)
  await close()
})

test('a bank that takes long is no reason to pay twice: the page says so and may be closed', async () => {
  const { page, close } = await openShop()
  const orderId = await openCheckout(page)
  await page.route('**/checkout/status*', (route) => route.fulfill({ json: { state: 'unknown' } }))
  await page.clock.install()
  await page.goto(`/confirming/${orderId}`)
  await orderShows(page, 'processing')
  const heading = page.getByRole('heading', { name: 'This is taking longer than usual' })
  await expect
    .poll(async () => {
      await page.clock.fastForward(5000)
      return heading.count()
    })
    .toBe(1)
  await page.getByText('Please do not pay a second time').waitFor()
  await close()
})

test('a removed line hands the focus on, and an emptied cart says so', async () => {
  const { page, close } = await openShop()
  await fillCart(page, ['thyme-tea'])
  await page.goto('/cart')
  await page.getByRole('button', { name: 'Remove' }).click()
  await page.getByRole('heading', { name: 'Your cart is still empty' }).waitFor()
  expect(await page.locator('h1:focus').count()).toBe(1)
  await close()
})
