import { expect, test } from 'vitest'
import {
  fillCart,
  formReady,
  openCheckout,
  openShop,
  orderShows,
  payWith,
  useBrowser,
} from './shop-page.ts'

useBrowser()

test('shows an error while the shop is unreachable; the button works again later', async () => {
  const { page } = await openShop()
  await fillCart(page, ['thyme-tea'])
  await page.goto('/cart')
  await page.route('**/cart', (route) => route.abort())
  const more = page.getByRole('button', { name: 'One more' })
  await more.click()
  await page.getByRole('alert').getByText('The shop is not responding').waitFor()
  await page.unroute('**/cart')
  await more.click()
  await page.locator('[data-testid=line-thyme-tea][data-quantity="2"]').waitFor()
  expect(await page.getByRole('alert').count()).toBe(0)
})

test('shows an error if the handoff fails; Try again loads the form', async () => {
  const { page } = await openShop()
  await fillCart(page, ['thyme-tea'])
  await page.goto('/cart')
  await page.route('**/checkout/handoff', (route) => route.fulfill({ status: 503, body: '{}' }))
  await page.getByTestId('place-order').click()
  await page.getByText("couldn't load").waitFor()
  await page.unroute('**/checkout/handoff')
  await page.getByRole('button', { name: 'Try again' }).click()
  await formReady(page)
})

test('asks the buyer not to pay again while the bank takes long', async () => {
  const { page } = await openShop()
  const orderId = await openCheckout(page)
  await page.route('**/checkout/status*', (route) => route.fulfill({ json: { phase: 'unknown' } }))
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
  await page.getByText("Please don't pay again").waitFor()
})

test('shows a canceled payment as canceled, and the same order can be paid', async () => {
  const { page } = await openShop()
  const orderId = await openCheckout(page)
  await payWith(page, 'canceled')
  await orderShows(page, 'canceled')
  await page.getByRole('heading', { name: 'Payment canceled' }).waitFor()
  await page.getByText('You were not charged.').waitFor()
  expect(new URL(page.url()).pathname).toBe(`/orders/${orderId}`)
  await page.getByTestId('pay-now').click()
  await formReady(page)
  await payWith(page, 'succeeded')
  await orderShows(page, 'paid')
})

test('moves the focus to the heading when the last line is removed', async () => {
  const { page } = await openShop()
  await fillCart(page, ['thyme-tea'])
  await page.goto('/cart')
  await page.getByRole('button', { name: 'Remove' }).click()
  await page.getByRole('heading', { name: 'Your cart is still empty' }).waitFor()
  expect(await page.locator('h1:focus').count()).toBe(1)
})
