import { payWith } from '@pi-checkout/element/testing'
import {
  addToCart,
  expectOrder,
  hostedPage,
  openCheckout,
  orderOf,
  payButton,
} from '../fixtures/buyer.ts'
import { expect, test } from '../fixtures/test-stack.ts'

test('shows an error while the shop is unreachable; the button works again later', async ({
  page,
  pageErrors,
}) => {
  pageErrors.allow(/Failed to load resource/)
  await addToCart(page)
  await page.goto('/cart')
  await page.route('**/cart', (route) => route.abort())
  const more = page.getByRole('button', { name: 'Add one' })
  await more.click()
  await expect(page.getByRole('alert')).toContainText('We can’t reach the shop')
  await page.unroute('**/cart')
  await more.click()
  await expect(page.getByTestId('cart-count')).toHaveText('2')
  await expect(page.getByRole('alert')).toHaveCount(0)
})

test('says that the form is not available while the handoff fails; Try again loads it', async ({
  page,
  pageErrors,
}) => {
  pageErrors.allow(/Failed to load resource|pi-checkout: /)
  await addToCart(page)
  await page.goto('/cart')
  const json = { code: 'payment_unavailable' }
  await page.route('**/checkout/handoff', (route) => route.fulfill({ status: 503, json }))
  await page.getByTestId('place-order').click()
  await expect(page.getByRole('alert')).toContainText('not available right now. You pay only once.')
  await page.unroute('**/checkout/handoff')
  await page.getByRole('button', { name: 'Try again' }).click()
  await expect(payButton(page)).toBeEnabled()
})

test('says what to do when the checkout rejects the secret; a reload shows the form', async ({
  page,
  pageErrors,
}) => {
  pageErrors.allow(/Failed to load resource|pi-checkout: /)
  await addToCart(page)
  await page.goto('/cart')
  await page.route('**/checkout/handoff', async (route) => {
    const response = await route.fetch()
    const { clientSecret, ...json } = await response.json()
    const wrong = clientSecret.replace(/(_secret_).{5}/, '$1AAAAA')
    await route.fulfill({ response, json: { ...json, clientSecret: wrong } })
  })
  await page.getByTestId('place-order').click()
  await expect(page.getByText('This payment form has expired. Reload the page.')).toBeVisible()
  await page.unroute('**/checkout/handoff')
  await page.reload()
  await expect(payButton(page)).toBeEnabled()
})

test('asks the buyer not to pay again while the shop does not respond', async ({
  page,
  pageErrors,
}) => {
  pageErrors.allow(/Failed to load resource/)
  await page.clock.install()
  await openCheckout(page)
  await page.route('**/checkout/status*', (route) => route.fulfill({ status: 503 }))
  await payWith(page, 'succeeded')
  await page.clock.runFor(4000)
  await expect(page.getByText('Do not pay again')).toBeVisible()
  await expect(hostedPage(page).getByTestId('result')).toBeVisible()
  await page.unroute('**/checkout/status*')
  await page.clock.runFor(5000)
  await expectOrder(page, 'paid')
})

test('shows a canceled payment as canceled, and the same order can be paid', async ({ page }) => {
  await openCheckout(page)
  const order = orderOf(page)
  await payWith(page, 'canceled')
  await expectOrder(page, 'canceled')
  await expect(page.getByRole('heading', { name: 'You canceled the payment' })).toBeVisible()
  await expect(page.getByText('You were not charged.')).toBeVisible()
  expect(new URL(page.url()).pathname).toBe(`/orders/${order}`)
  await page.getByTestId('pay-now').click()
  await payWith(page, 'succeeded')
  await expectOrder(page, 'paid')
})

test('moves the focus to the heading when the last line is removed', async ({ page }) => {
  await addToCart(page)
  await page.goto('/cart')
  await page.getByRole('button', { name: 'Remove:' }).click()
  await expect(page.getByRole('heading', { name: 'Your cart is still empty' })).toBeFocused()
})
