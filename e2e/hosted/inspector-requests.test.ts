import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { payWith } from '@pi-checkout/element/testing'
import { PaymentIntents } from '@pi-checkout/server'
import { control } from '@pi-checkout/test-support/sandbox'
import { startSite } from '@pi-checkout/test-support/sites'
import { scanPage } from '../fixtures/canaries.ts'
import { create, expect, linesOf, test } from '../fixtures/inspector.ts'

const run = promisify(execFile)

test('the command of a request is that request, and creates no second intent', async ({
  page,
  merchant,
}) => {
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
  await expect(linesOf(page)).toHaveCount(2)
  const { intents } = await control<{ intents: object[] }>(merchant, `${merchant.path}/intents`)
  expect(intents).toHaveLength(1)
})

test('a request that is not kept as it was sent has no command', async ({ page, merchant }) => {
  await create(merchant, { metadata: { card: '4242424242424242' } })
  await merchant.open('requests')
  await linesOf(page).click()
  await expect(page.getByText('No command, because')).toBeVisible()
  await expect(page.getByRole('button', { name: 'Copy as curl' })).toHaveCount(0)
  expect(await page.content()).not.toContain('4242424242424242')
})

test('a failed create says why, for each field', async ({ page, merchant }) => {
  const response = await create(merchant, { amount: 0, orderId: 'x'.repeat(33) })
  const { detail, errors } = await response.json()
  await merchant.open('requests')
  await linesOf(page).click()
  const reasons = page.locator('.reasons')
  for (const { pointer, detail: why } of errors) {
    await expect(reasons.locator('li', { hasText: pointer })).toContainText(why)
  }
  // It joins those of the fields.
  await expect(reasons).not.toContainText(detail)
  expect(errors).toHaveLength(2)
})

test('a row of a create has its order, amount, status, and time; the tab counts failures', async ({
  page,
  merchant,
}) => {
  await create(merchant, { orderId: 'ROW-1', amount: 1480000 })
  await create(merchant, { orderId: 'ROW-2', amount: 0 })
  await merchant.open('requests')
  await expect(linesOf(page).nth(1)).toHaveText(/POST\s+ROW-1 ֏14,800\s+201\s+[\d.]+ ms/)
  await expect(linesOf(page).first()).toHaveText(/ROW-2 ֏0\s+validation_failed \/amount\s+400/)
  await expect(page.getByRole('link', { name: 'Requests 1 failed' })).toBeVisible()
})

test('a check of the key is no failure, and a check of a wrong key is one', async ({
  page,
  merchant,
}) => {
  const { baseUrl, apiKey } = merchant.api
  await new PaymentIntents({ baseUrl, apiKey }).check()
  await merchant.open('requests')
  await expect(linesOf(page).first()).toHaveText(/GET\s+\/payment-intents\/pi_…\s+key accepted/)
  await expect(page.getByRole('link', { name: /Requests \d+ failed/ })).toHaveCount(0)
  await expect(new PaymentIntents({ baseUrl, apiKey: 'wrong-key' }).check()).rejects.toThrow()
  await expect(page.getByRole('link', { name: 'Requests 1 failed' })).toBeVisible()
})

test('finds a rejected create by its order, whatever else is invalid', async ({
  page,
  merchant,
}) => {
  await create(merchant, { orderId: 'BAD-1', amount: -5, currency: 'AMDX' })
  await create(merchant, { orderId: 'BAD-2', amount: 'many', extra: true })
  await create(merchant, { orderId: 'GOOD-1' })
  await merchant.open('requests')
  await expect(linesOf(page)).toHaveCount(3)
  for (const orderId of ['BAD-1', 'BAD-2']) {
    await page.getByLabel('Search requests').fill(orderId)
    await expect(linesOf(page)).toHaveCount(1)
    await expect(linesOf(page)).toContainText(orderId)
  }
})

test('sends a create again: the same key is replayed, a new key creates another intent', async ({
  page,
  merchant,
}) => {
  await create(merchant, { orderId: 'AGAIN-1' }, { 'idempotency-key': 'again-1' })
  const newer = Array.from({ length: 20 }, (_, index) => `AFTER-${index}`)
  for (const orderId of newer) await create(merchant, { orderId })
  await merchant.open('requests')
  await linesOf(page).last().click()
  await page.getByRole('button', { name: 'Send with the same key' }).click()
  await expect(linesOf(page)).toHaveCount(22)
  const newest = page.locator('li:first-child > .line[aria-current="true"]')
  await expect(newest).toContainText('replayed')
  await expect(newest).toBeInViewport()
  await page.getByRole('button', { name: 'Send with a new key' }).click()
  await expect(linesOf(page)).toHaveCount(23)
  await expect(newest).toHaveText(/AGAIN-1 ֏1,500\s+201/)
  const { intents } = await control<{ intents: object[] }>(merchant, `${merchant.path}/intents`)
  expect(intents).toHaveLength(22)
})

test('a lost response is counted, and its line names the fault', async ({ page, merchant }) => {
  const key = { 'idempotency-key': 'lost-1' }
  const fault = { ...key, 'sandbox-fault': 'drop-after-commit' }
  await expect(create(merchant, {}, fault)).rejects.toThrow()
  await create(merchant, {}, key)
  await merchant.open('requests')
  await expect(linesOf(page).nth(1)).toContainText('fault: drop-after-commit')
  await merchant.open('idempotency')
  const row = page.getByRole('listitem').filter({ hasText: 'lost-1' })
  await expect(row).toHaveText(/2 requests\s+lost-1\s+1 replay\s*1 lost response\s+A-1/)
})

test('one click shows what belongs to a key: the first create, its replay, and a conflict', async ({
  page,
  merchant,
}) => {
  const key = { 'idempotency-key': 'one-key' }
  await create(merchant, { orderId: 'KEY-1' }, key)
  await create(merchant, { orderId: 'KEY-2' }, { 'idempotency-key': 'one-key-2' })
  await create(merchant, { orderId: 'KEY-1' }, key)
  await create(merchant, { orderId: 'KEY-3' }, key)
  await merchant.open('requests')
  await linesOf(page).last().click()
  await page.getByRole('link', { name: 'one-key', exact: true }).click()
  await expect(linesOf(page)).toHaveText([
    /KEY-3.*idempotency_key_reused\s+422/s,
    /KEY-1.*replayed\s+201/s,
    /KEY-1.*201/s,
  ])
  await page.getByRole('button', { name: 'Key one-key' }).click()
  await expect(linesOf(page)).toHaveCount(4)
  await page.locator('nav').getByRole('link', { name: 'Idempotency' }).click()
  await page.getByRole('link', { name: 'one-key', exact: true }).click()
  await expect(linesOf(page)).toHaveCount(3)
})

test('shows a page of requests whose rows keep their places while others arrive', async ({
  page,
  merchant,
}) => {
  for (let at = 0; at < 110; at++) await create(merchant, { orderId: `PAGED-${at}` })
  await merchant.open('requests')
  await expect(linesOf(page)).toHaveCount(100)
  const row = linesOf(page).filter({ hasText: /PAGED-20\b/ })
  await row.scrollIntoViewIfNeeded()
  const before = await row.boundingBox()
  for (let at = 0; at < 30; at++) await create(merchant, { orderId: `NEW-${at}` })
  await expect(page.getByRole('button', { name: 'Show 30 newer' })).toHaveCount(1)
  expect(await row.boundingBox()).toEqual(before)
  await page.getByRole('button', { name: 'Show older' }).click()
  await expect(linesOf(page)).toHaveCount(10)
  await page.getByRole('button', { name: 'Show newest' }).click()
  await expect(linesOf(page).filter({ hasText: 'NEW-29' })).toBeInViewport()
  await expect(linesOf(page)).toHaveCount(100)
})

test('opens a linked request that is on no page of the list', async ({ page, merchant }) => {
  const first = await create(merchant, { orderId: 'LINKED-1' })
  for (let at = 0; at < 101; at++) await create(merchant, { orderId: `LATER-${at}` })
  await merchant.open('requests')
  await expect(linesOf(page)).toHaveCount(100)
  await page.goto(`${page.url()}/${first.headers.get('request-id')}`)
  await expect(page.locator('.detail')).toContainText('LINKED-1')
  await expect(page.locator('.detail')).toContainText('clientSecret')
})

test('opens a test checkout in a new tab without a secret, and shows its result', async ({
  page,
  merchant,
}) => {
  const response = await create(merchant, { orderId: 'CHECKOUT-1' })
  const { clientSecret } = await response.json()
  const shop = await startSite((_, answer) => answer.end('The shop'))
  await merchant.open('environment')
  await page.getByLabel('Another origin').fill(shop.origin)
  await page.getByRole('button', { name: 'Register' }).click()
  await expect(page.getByRole('button', { name: `Remove ${shop.origin}` })).toBeVisible()
  await page.keyboard.press('1')
  await page.locator('.rows a', { hasText: 'CHECKOUT-1' }).click()
  const opening = page.context().waitForEvent('page')
  await page.getByRole('button', { name: 'Open a test checkout' }).click()
  const checkout = await opening
  await checkout.waitForURL('**/checkout/*/page?*')
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
  await shop.close()
})
