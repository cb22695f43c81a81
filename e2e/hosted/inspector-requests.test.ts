import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { PaymentIntents } from '@pi-checkout/server'
import { create, expect, linesOf, test } from '../fixtures/inspector.ts'

const run = promisify(execFile)

test('two clicks show why a create failed, for each field', async ({ page, merchant }) => {
  await create(merchant, { orderId: 'WHY-0' })
  await create(merchant, { orderId: 'WHY-1', amount: 15.5 })
  await merchant.open()
  await page.getByRole('link', { name: 'Requests' }).click()
  await linesOf(page).filter({ hasText: '15.5' }).click()
  // What is no amount is shown as it was sent.
  await expect(page.locator('.title code')).toHaveText('15.5 AMD')
  const reason = 'amount must be a whole number of minor units: 15.50 is 1550'
  await expect(page.locator('.reasons p')).toHaveText(['validation_failed', reason])
  await expect(page.locator('.detail pre').first()).toContainText('"amount": 15.5')
  // Each field has its reason, and the sum of them is not repeated.
  const response = await create(merchant, { amount: 0, orderId: 'x'.repeat(33) })
  const { errors } = await response.json()
  await page.keyboard.press('Escape')
  await linesOf(page).filter({ hasText: 'xxx' }).click()
  const [amount, orderId] = errors.map(({ detail }: { detail: string }) => detail)
  await expect(page.locator('.reasons p')).toHaveText(['validation_failed', amount, orderId])
})

test('a section that cannot show its data says so until it can', async ({ page, merchant }) => {
  await create(merchant, { orderId: 'BROKEN-1' }, { 'idempotency-key': 'broken-1' })
  for (const [pattern, json, isOpen] of [
    ['**/_sandbox/environments/*/requests', { requests: [null] }, false],
    ['**/_sandbox/environments/*/requests/*', { request: null }, true],
  ] as const) {
    await merchant.open('requests')
    if (isOpen) await linesOf(page).click()
    await page.route(pattern, async (route) => await route.fulfill({ json }))
    await expect(page.getByRole('heading', { name: 'cannot be shown' })).toBeVisible()
    await page.locator('nav').getByRole('link', { name: 'Intents' }).click()
    await expect(linesOf(page)).toContainText('BROKEN-1 ֏1,500 requires_payment_method')
    await page.locator('nav').getByRole('link', { name: 'Requests' }).click()
    await page.unroute(pattern)
    await expect(linesOf(page)).toContainText('BROKEN-1')
  }
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
    await page.keyboard.press('Escape')
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
    ['Failed', [/F-4.*lost.*fault: drop-after-commit/s, /F-3/, /F-2/]],
    ['Replayed', [/F-1 ֏1,500\s+201.*replayed/s]],
    ['Lost', [/F-4/]],
    ['Conflicts', [/F-2.*422.*idempotency_key_reused/s]],
    ['Lint', [/F-2/]],
    ['All', [/F-4/, /F-3/, /F-2/, /F-1/, /F-1/]],
  ] as const) {
    await page.getByRole('button', { name: filter }).click()
    await expect(lines).toHaveText([...shown])
  }
  await page.getByLabel('Search requests').fill('one-key')
  await expect(lines).toHaveCount(3)
  // The address has both.
  await page.getByRole('button', { name: 'Conflicts' }).click()
  await page.reload()
  await expect(page.getByLabel('Search requests')).toHaveValue('one-key')
  await expect(lines).toHaveText([/F-2.*422/s])
})

test('an issue has its fix, and a check of the key is no failure', async ({ page, merchant }) => {
  const { baseUrl, apiKey } = merchant.api
  await new PaymentIntents({ baseUrl, apiKey }).check()
  await merchant.open('requests')
  await expect(linesOf(page).first()).toHaveText(/\/payment-intents\/pi_….*key accepted/s)
  await page.getByRole('button', { name: 'Failed' }).click()
  await expect(page.getByRole('heading', { name: 'No matching requests' })).toBeVisible()
  await expect(new PaymentIntents({ baseUrl, apiKey: 'wrong-key' }).check()).rejects.toThrow()
  await expect(linesOf(page)).toHaveCount(1)

  const response = await create(merchant, {}, { 'idempotency-key': 'page' })
  const { id } = await response.json()
  await fetch(`${baseUrl}/checkout/${id}`, { headers: { referer: 'http://localhost:5173/' } })
  await page.getByRole('button', { name: 'Lint' }).click()
  await linesOf(page).filter({ hasText: 'unregistered origin' }).click()
  const reasons = page.locator('.reasons')
  await expect(reasons).toContainText('http://localhost:5173 is not registered')
  await expect(reasons).toContainText('Register exactly this origin')
})

test('the command of a create is that request, or there is none', async ({ page, merchant }) => {
  const fields = { orderId: 'CURL-1', metadata: { note: "it's" } }
  const first = await create(merchant, fields, { 'idempotency-key': 'curl-1' })
  await merchant.open('requests')
  await linesOf(page).click()
  await page.context().grantPermissions(['clipboard-write'])
  await page.getByRole('button', { name: 'Copy' }).click()
  // The page's own policy forbids reading the clipboard, so it is pasted.
  await page.evaluate(() => document.body.append(document.createElement('textarea')))
  await page.locator('textarea').focus()
  await page.keyboard.press('Control+V')
  const command = await page.locator('textarea').inputValue()
  const env = { ...process.env, PI_API_KEY: merchant.api.apiKey }
  const { stdout } = await run('sh', ['-c', command], { env })
  expect(JSON.parse(stdout)).toEqual(await first.json())
  await page.keyboard.press('Escape')
  await expect(linesOf(page).first()).toContainText('replayed')

  await create(merchant, { metadata: { card: '4242424242424242' } })
  await linesOf(page).filter({ hasText: 'A-1' }).click()
  await expect(page.getByText('No command: part of the request')).toBeVisible()
  await expect(page.getByRole('button', { name: 'Copy' })).toHaveCount(0)
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
  await expect(page.locator('.detail header')).toContainText('fault: drop-after-commit')
  const command = page.locator('pre').filter({ hasText: 'curl' })
  await expect(command).toContainText('-H "Authorization: Bearer $PI_API_KEY"')
  await expect(command).not.toContainText('sandbox-fault')
})

test('four clicks lose a response, and rules break next requests', async ({ page, merchant }) => {
  await merchant.open()
  await page.getByRole('link', { name: 'Faults' }).click()
  await page.getByRole('button', { name: 'Add drop-after-commit on create' }).click()
  await expect(page.getByText('for the next request')).toBeVisible()
  await expect(create(merchant, { orderId: 'LOST-1' })).rejects.toThrow()
  await page.getByRole('link', { name: 'Requests' }).click()
  await linesOf(page).filter({ hasText: 'fault: drop-after-commit' }).click()
  await expect(page.getByText('No complete response')).toBeVisible()
  await page.getByRole('link', { name: /^pi_/ }).click()
  await expect(page.getByRole('heading', { name: 'LOST-1' })).toBeVisible()

  await page.getByRole('link', { name: 'Faults' }).click()
  // A retrieve commits nothing that a lost response could hide.
  const retrieves = page.getByRole('button', { name: 'on retrieve' })
  await expect(retrieves.and(page.getByRole('button', { name: 'after-commit' }))).toHaveCount(0)
  await expect(retrieves.and(page.getByRole('button', { name: 'before-commit' }))).toHaveCount(1)
  const add = page.getByRole('button', { name: 'Add 503 on create' })
  await add.click()
  await expect(page.getByText('for the next request')).toBeVisible()
  expect((await create(merchant)).status).toBe(503)
  const none = page.getByText('No fault rules: responses are not modified.')
  await expect(none).toBeVisible()
  const rules = page.getByRole('button', { name: 'Remove 503 on create' })
  for (const count of [1, 2]) {
    await add.click()
    await expect(rules).toHaveCount(count)
  }
  await rules.first().click()
  await expect(rules).toHaveCount(1)
  await rules.click()
  await expect(none).toBeVisible()
  // A rule that is used up leaves the request that it broke.
  await page.getByRole('link', { name: 'Requests' }).click()
  await expect(linesOf(page).first()).toContainText('fault: 503')
})
