import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { payWith } from '@pi-checkout/element/testing'
import { PaymentIntents } from '@pi-checkout/server'
import { SandboxEnvironment } from '@pi-checkout/service/testing'
import { startSite } from '@pi-checkout/test-support/sites'
import { scanPage } from '../fixtures/canaries.ts'
import { create, expect, linesOf, test } from '../fixtures/inspector.ts'

const run = promisify(execFile)

test('two clicks show why a create failed, for each field', async ({ page, merchant }) => {
  await create(merchant, { orderId: 'WHY-0' })
  await create(merchant, { orderId: 'WHY-1', amount: 15.5 })
  await create(merchant, { orderId: 'WHY-2', amount: 0.001 })
  await merchant.open()
  await page.getByRole('link', { name: 'Requests 2 failed' }).click()
  await expect(page.getByRole('button', { name: 'Failed 2', pressed: true })).toBeVisible()
  await expect(linesOf(page).first()).toContainText('WHY-2 0.001 AMD')
  await linesOf(page).filter({ hasText: 'WHY-1 15.5 AMD' }).click()
  const reason = '/amount amount must be a whole number of minor units'
  await expect(page.locator('.reasons')).toContainText(reason)
  await expect(page.locator('.detail pre').first()).toContainText('"amount": 15.5')
  // Each field has its reason, and the sum of them is not repeated.
  const response = await create(merchant, { amount: 0, orderId: 'x'.repeat(33) })
  const { detail, errors } = await response.json()
  await linesOf(page).filter({ hasText: 'xxx' }).click()
  for (const { pointer, detail: why } of errors) {
    await expect(page.locator('.reasons li', { hasText: pointer })).toContainText(why)
  }
  await expect(page.locator('.reasons')).not.toContainText(detail)
  expect(errors).toHaveLength(2)
})

test('a section that cannot show its data says so until it can', async ({ page, merchant }) => {
  await create(merchant, { orderId: 'BROKEN-1' }, { 'idempotency-key': 'broken-1' })
  const pattern = '**/_sandbox/environments/*/requests'
  await page.route(pattern, async (route) => await route.fulfill({ json: { requests: [null] } }))
  await merchant.open('requests')
  await expect(page.getByRole('heading', { name: 'cannot be shown' })).toBeVisible()
  await page.getByRole('link', { name: 'Intents' }).click()
  await expect(page.getByRole('heading', { name: 'BROKEN-1' })).toBeVisible()
  await page.getByRole('link', { name: 'Requests' }).click()
  await page.unroute(pattern)
  await page.getByRole('button', { name: 'Clear the log' }).click()
  await expect(page.getByRole('heading', { name: 'No requests yet' })).toBeVisible()
})

test('shows whatever a client sends as bounded text', async ({ page, merchant }) => {
  const markup = '<img src=x onerror=alert(1)>'
  const values = [null, true, [], {}, 'x'.repeat(3500), '\u202e\u0000', -1e300, markup, 9.9]
  for (const value of values) {
    await create(merchant, { orderId: value, amount: value, currency: value, customer: value })
  }
  await merchant.open('requests')
  for (const line of (await linesOf(page).all()).slice(0, values.length)) {
    await line.click()
    await expect(page.locator('.reasons')).toContainText('validation_failed')
    await expect(page.locator('.detail pre').first()).toContainText('"amount"')
  }
  await expect(page.locator('main img, main script')).toHaveCount(0)
  const overflow = await page.evaluate(
    () => document.documentElement.scrollWidth - document.documentElement.clientWidth,
  )
  expect(overflow).toBe(0)
})

test('filters requests by their outcome, and by a search', async ({ page, merchant }) => {
  const key = { 'idempotency-key': 'one-key' }
  await create(merchant, { orderId: 'F-1' }, key)
  await create(merchant, { orderId: 'F-1' }, key)
  await create(merchant, { orderId: 'F-2' }, key)
  await create(merchant, { orderId: 'F-3', amount: 0 })
  const lost = { 'idempotency-key': 'lost-1', 'sandbox-fault': 'drop-after-commit' }
  await expect(create(merchant, { orderId: 'F-4' }, lost)).rejects.toThrow()
  await merchant.open('requests')
  const lines = linesOf(page)
  await expect(lines).toHaveCount(5)
  for (const [filter, shown] of [
    ['Failed 3', [/F-4.*dropped.*fault: drop-after-commit/s, /F-3/, /F-2/]],
    ['Replayed 1', [/F-1 ֏1,500\s+201.*replayed/s]],
    ['Lost 1', [/F-4/]],
    ['Conflicts 1', [/F-2.*422.*idempotency_key_reused/s]],
    ['Lint 1', [/reused with another body/]],
    ['All 5', [/F-4/, /F-3/, /F-2/, /F-1/, /F-1/]],
  ] as const) {
    await page.getByRole('button', { name: filter }).click()
    await expect(lines).toHaveText([...shown])
  }
  await page.getByLabel('Search requests').fill('one-key')
  await expect(lines).toHaveCount(3)
  await expect(page.getByRole('button', { name: 'Conflicts 1' })).toBeVisible()
  await page.getByRole('button', { name: 'Clear the log' }).click()
  await expect(lines).toHaveCount(0)
})

test('an issue has its fix, and a check of the key is no failure', async ({ page, merchant }) => {
  const { baseUrl, apiKey } = merchant.api
  await new PaymentIntents({ baseUrl, apiKey }).check()
  await merchant.open('requests')
  await expect(linesOf(page).first()).toHaveText(/\/payment-intents\/pi_….*key accepted/s)
  await expect(page.getByRole('button', { name: 'Failed 0' })).toBeVisible()
  await expect(new PaymentIntents({ baseUrl, apiKey: 'wrong-key' }).check()).rejects.toThrow()
  await expect(page.getByRole('button', { name: 'Failed 1' })).toBeVisible()

  const response = await create(merchant, {}, { 'idempotency-key': 'page' })
  const { id } = await response.json()
  await fetch(`${baseUrl}/checkout/${id}`, { headers: { referer: 'http://localhost:5173/' } })
  await page.getByRole('button', { name: 'Lint 1' }).click()
  await linesOf(page).click()
  await page.getByRole('button', { name: 'Register http://localhost:5173' }).click()
  await expect(page.getByText('No issues found')).toBeVisible()
  await page.getByRole('link', { name: 'Settings' }).click()
  await expect(page.getByRole('button', { name: 'Remove http://localhost:5173' })).toBeVisible()
})

test('the command of a create is that request, or there is none', async ({ page, merchant }) => {
  const fields = { orderId: 'CURL-1', metadata: { note: "it's" } }
  const first = await create(merchant, fields, { 'idempotency-key': 'curl-1' })
  await merchant.open('requests')
  await linesOf(page).click()
  await page.context().grantPermissions(['clipboard-write'])
  await page.getByRole('button', { name: 'Copy as curl' }).click()
  // The page's own policy forbids reading the clipboard, so it is pasted.
  await page.evaluate(() => document.body.append(document.createElement('textarea')))
  await page.locator('textarea').focus()
  await page.keyboard.press('Control+V')
  const command = await page.locator('textarea').inputValue()
  const env = { ...process.env, PI_API_KEY: merchant.api.apiKey }
  const { stdout } = await run('sh', ['-c', command], { env })
  expect(JSON.parse(stdout)).toEqual(await first.json())
  await expect(linesOf(page).first()).toContainText('replayed')

  await create(merchant, { metadata: { card: '4242424242424242' } })
  await linesOf(page).filter({ hasText: 'A-1' }).click()
  await expect(page.getByText('Not possible, because')).toBeVisible()
  await expect(page.getByRole('button', { name: 'Copy as curl' })).toHaveCount(0)
  expect(await page.content()).not.toContain('4242424242424242')
})

test('the command of a request with a fault sends it without the fault', async ({
  page,
  merchant,
}) => {
  const lost = create(merchant, {}, { 'sandbox-fault': 'drop-after-commit' })
  await expect(lost).rejects.toThrow()
  await merchant.open('requests')
  await linesOf(page).click()
  await expect(page.getByText('sandbox-fault: drop-after-commit').first()).toBeVisible()
  const command = page.locator('pre').filter({ hasText: 'curl' })
  await expect(command).toContainText('-H "Authorization: Bearer $PI_API_KEY"')
  await expect(command).not.toContainText('sandbox-fault')
})

test('four clicks lose a response, and rules break next requests', async ({ page, merchant }) => {
  await merchant.open()
  await page.getByRole('link', { name: 'Faults' }).click()
  await page.getByRole('button', { name: 'Add drop-after-commit on create' }).click()
  await expect(page.getByText('next 1 request')).toBeVisible()
  await page.getByRole('link', { name: 'Intents' }).click()
  await page.getByRole('button', { name: 'Create a test intent' }).click()
  await expect(linesOf(page).first()).toContainText('fault: drop-after-commit')
  await expect(linesOf(page).first()).toContainText('dropped')

  await page.getByRole('link', { name: 'Faults' }).click()
  // A retrieve commits nothing that a lost response could hide.
  const retrieves = page.getByRole('button', { name: 'on retrieve' })
  await expect(retrieves.and(page.getByRole('button', { name: 'after-commit' }))).toHaveCount(0)
  await expect(retrieves.and(page.getByRole('button', { name: 'before-commit' }))).toHaveCount(1)
  const add = page.getByRole('button', { name: 'Add 503 on create' })
  await add.click()
  await expect(page.getByText('next 1 request')).toBeVisible()
  expect((await create(merchant)).status).toBe(503)
  const none = page.getByText('No fault rules. Responses are not modified.')
  await expect(none).toBeVisible()
  for (const times of ['2', '3']) {
    await page.getByLabel('Number of requests').fill(times)
    await add.click()
    await expect(page.getByText(`next ${times} requests`)).toBeVisible()
  }
  await page.getByRole('button', { name: 'Remove 503 on create' }).nth(1).click()
  await expect(page.getByText('next 3 requests')).toHaveCount(0)
  await page.getByRole('button', { name: 'Clear all rules' }).click()
  await expect(none).toBeVisible()
  // A rule that is used up leaves the request that it broke.
  await page.getByRole('link', { name: 'Requests' }).click()
  await expect(linesOf(page).first()).toContainText('fault: 503')
})

test('opens a test checkout without a secret, and shows its result', async ({ page, stack }) => {
  const shop = await startSite((_, answer) => answer.end('The shop'))
  const environment = await SandboxEnvironment.create(stack.api, [])
  await environment.addOrigin(shop.origin)
  const api = { ...stack.api, apiKey: environment.apiKey }
  const response = await create({ api }, { orderId: 'CHECKOUT-1' })
  const { clientSecret } = await response.json()
  await page.goto(`${stack.api.inspectorUrl}/${environment.id}/intents`)
  const opening = page.context().waitForEvent('page')
  await page.getByRole('button', { name: 'Open a test checkout' }).click()
  const checkout = await opening
  await checkout.waitForURL('**/checkout/*/page?*')
  await expect(checkout.getByLabel('Card number')).toBeFocused()
  const secret = clientSecret.slice(clientSecret.indexOf('_secret_'))
  for (const seen of [page, checkout]) {
    expect((await scanPage(seen)).join()).not.toContain(secret)
  }
  await payWith(checkout, 'succeeded')
  // It returns to the inspector, which is open there too.
  const shown = '.detail header [data-status="succeeded"]'
  await expect(checkout.locator(shown)).toBeVisible()
  await expect(page.locator(shown)).toBeVisible()
  await expect(page.getByRole('button', { name: 'Open a test checkout' })).toHaveCount(0)
  await checkout.close()
  await environment.delete()
  await shop.close()
})
