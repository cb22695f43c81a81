import { payWith } from '@pi-checkout/element/testing'
import { fillCard, hostedPage, payButton } from '../fixtures/buyer.ts'
import { expect, expectAlert, expectResult, test } from '../fixtures/hosted-form.ts'

test('returns from the bank to the exact address with its reason, also after Back', async ({
  page,
  openForm,
}) => {
  await openForm()
  // Signed and long, with a router in its fragment.
  const query = `?note=a%20b&sign=1%2B2~&filter=${'x'.repeat(7800)}#/pay?step=2`
  await page.evaluate(`history.replaceState(null, '', '${query}')`)
  const address = page.url()
  const form = hostedPage(page)
  await fillCard(page, '4000002760003184')
  await payButton(page).click()
  await expect(page.getByLabel('Code')).toBeVisible()
  await page.goBack()
  await form.getByRole('button', { name: 'Continue to your bank' }).click()
  await page.getByLabel('Code').fill('0000')
  await page.getByRole('button', { name: 'Confirm' }).click()
  await expectAlert(page, 'Your bank did not confirm')
  expect(page.url()).toBe(address)
  await fillCard(page, '4000002760003184')
  await payButton(page).click()
  await expect(page.getByLabel('Code')).toBeVisible()
  await page.goBack()
  await form.getByRole('button', { name: 'Use another card' }).click()
  await payWith(page, 'succeeded')
  await expectResult(page, 'paid')
})

test('stays on the shop’s page if the bank’s is down', async ({ page, openForm, pageErrors }) => {
  pageErrors.allow(/Failed to load resource/)
  await page.clock.install()
  await openForm()
  const address = page.url()
  const navigation = page.waitForEvent('requestfailed', (request) => request.isNavigationRequest())
  await page.route('**/challenge', (route) => route.abort('aborted'))
  await page.route('**/bank', (route) => route.abort('aborted'))
  await fillCard(page, '4000002760003184')
  await payButton(page).click()
  await navigation
  await page.clock.runFor(10_000)
  await expectAlert(page, 'Your bank’s page did not open')
  expect(page.url()).toBe(address)
})

const expired = {
  status: 401,
  json: { code: 'invalid_session', status: 401, title: 'The session has expired.' },
}

test('renews an expired session and keeps the card', async ({ page, openForm, pageErrors }) => {
  pageErrors.allow(/401 \(Unauthorized\)/)
  // Before the frame exists: a request of its process can pass a route that comes later.
  await page.route('**/checkout-api/confirm', (route) => route.fulfill(expired), { times: 1 })
  await openForm()
  await fillCard(page, '4242424242424242')
  const renewal = page.waitForResponse('**/checkout-api/session')
  await payButton(page).click()
  await renewal
  await expectResult(page, 'paid')
})

test('says while the browser is offline that it is', async ({ page, openForm }) => {
  await openForm()
  const notice = hostedPage(page).getByRole('alert')
  await page.context().setOffline(true)
  await expect(notice).toHaveText('You are offline. Reconnect to continue.')
  await page.context().setOffline(false)
  await expect(notice).toHaveText('')
})

test('says one thing while a payment is offline, at Pay too, and pays when the line is back', async ({
  page,
  openForm,
  pageErrors,
}) => {
  pageErrors.allow(/Failed to load resource/)
  await openForm()
  const form = hostedPage(page)
  await fillCard(page, '4242424242424242')
  await page.context().setOffline(true)
  await payButton(page).click()
  await expectAlert(page, 'The result is not known yet. You won’t pay twice.')
  await expect(form.locator('button.pay')).toHaveText('Checking…')
  await expect(form.getByText(/offline|few seconds/)).toHaveCount(0)
  await page.context().setOffline(false)
  await expectResult(page, 'paid')
})
