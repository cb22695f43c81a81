import { payWith } from '@pi-checkout/element/testing'
import { addToCart, expectOrder, hostedPage, openCheckout, payButton } from '../fixtures/buyer.ts'
import { expect, test } from '../fixtures/test-stack.ts'

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

test('says that a service which does not respond takes long; the form loads when it responds', async ({
  page,
  stack,
  pageErrors,
}) => {
  pageErrors.allow(/Failed to load resource|pi-checkout: /)
  const { child } = stack.service
  await addToCart(page)
  await page.goto('/cart')
  child.kill('SIGSTOP')
  try {
    await page.getByTestId('place-order').click()
    await expect(page.getByText('This takes longer than usual')).toBeVisible({ timeout: 10_000 })
  } finally {
    child.kill('SIGCONT')
  }
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
  await expect(page.getByText('This form has expired. Reload the page.')).toBeVisible()
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
