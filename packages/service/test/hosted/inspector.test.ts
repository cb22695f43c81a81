import { launchBrowser } from '@pi-checkout/test-support/browsers'
import { startSite } from '@pi-checkout/test-support/sites'
import type { BrowserContextOptions, Page } from '@playwright/test'
import { beforeEach, expect, onTestFinished, test } from 'vitest'
import { atEnd, temporaryFolder } from '../support/lifetime.ts'
import { control, environmentId } from '../support/sandbox.ts'
import {
  create,
  created,
  newKey,
  order,
  startTestService,
  type TestService,
} from '../support/service.ts'
import { collectErrors, violationsIn } from './browser.ts'

const service = await startTestService()
const browser = await launchBrowser()
atEnd(async () => await browser.close())

beforeEach(async () => {
  await control(service, 'POST', '/reset', {})
})

/** Opens the printed link, and closes it when the test ends. An error in the page's console fails the test. */
async function openInspector({
  of: { ready } = service,
  expected = [],
  ...options
}: BrowserContextOptions & {
  readonly of?: TestService
  /** Console errors that the test causes. */
  readonly expected?: readonly RegExp[]
} = {}): Promise<Page> {
  const context = await browser.newContext({ viewport: { width: 1280, height: 800 }, ...options })
  const page = await context.newPage()
  const errors = collectErrors(page, expected)
  onTestFinished(async () => {
    await context.close()
    expect(errors).toEqual([])
  })
  await page.goto(ready.inspectorUrl)
  await page.getByText('Live', { exact: true }).waitFor()
  return page
}

async function createIntent(body?: object, headers?: Record<string, string>): Promise<string> {
  return (await created(service, body, headers)).id
}

test('shows a new intent automatically and pays it with one click', async () => {
  const page = await openInspector()
  await page.getByRole('heading', { name: 'No Payment Intent yet' }).waitFor()
  await createIntent({ ...order, orderId: 'L-1' }, { 'idempotency-key': 'live-1' })
  await page.getByRole('link', { name: /L-1/ }).click()
  // The second press finds a button that waits for the first.
  await page.getByRole('button', { name: 'Pay', exact: true }).dblclick()
  await page.locator('.detail header [data-status="succeeded"]').waitFor()
  expect(await page.getByRole('alert').count()).toBe(0)
  expect(await page.evaluate('document.activeElement.textContent')).toBe('L-1')
  const causes = await page.locator('.timeline .what').allTextContents()
  expect(causes).toEqual(['Created', 'Confirmed by the buyer', 'Authorized by the provider'])
  expect(await page.getByRole('group', { name: 'Simulate an outcome' }).count()).toBe(0)
})

test('shows a rejection until dismissed and a read error until a read succeeds', async () => {
  const id = await createIntent()
  const page = await openInspector({ expected: [/^Failed to load resource/] })
  const rejectOnce = async (path: string, status: number): Promise<void> => {
    const response = { status, json: { detail: `Not now: ${status}` } }
    const pattern = `**/_sandbox/${path}`
    await page.route(pattern, async (route) => await route.fulfill(response), { times: 1 })
  }
  await goTo(page, `intents/${id}`)
  await rejectOnce('intents/*/settle', 409)
  await page.getByRole('button', { name: 'Pay', exact: true }).click()
  await page.getByRole('alert').getByText('Not now: 409').waitFor()
  await page.getByRole('button', { name: 'Close' }).click()
  expect(await page.getByRole('alert').count()).toBe(0)

  await goTo(page, 'environment')
  await rejectOnce('reset', 503)
  await page.getByRole('button', { name: 'Reset…' }).click()
  await page.getByRole('button', { name: 'Reset', exact: true }).click()
  await page.getByRole('alert').getByText('Not now: 503').waitFor()
  expect(await page.getByText('Reset:').count()).toBe(0)
  await goTo(page, 'requests')
  expect(await page.getByRole('alert').count()).toBe(0)

  await rejectOnce('environments/*/requests*', 500)
  await createIntent()
  await page.getByRole('alert').getByText('Not now: 500').waitFor()
  // The failed read is retried automatically.
  await page.locator('.log > li').nth(1).waitFor()
  expect(await page.getByRole('alert').count()).toBe(0)
})

test('keeps the status filter when no intent matches anymore', async () => {
  const id = await createIntent({ ...order, orderId: 'F-1' })
  await createIntent({ ...order, orderId: 'F-2' })
  await control(service, 'POST', `/intents/${id}/settle`, { outcome: 'processing' })
  const page = await openInspector()
  const filter = page.getByLabel('Status')
  await filter.selectOption('processing')
  await expect.poll(async () => await page.locator('.rows a').count()).toBe(1)
  await control(service, 'POST', `/intents/${id}/settle`, { outcome: 'succeeded' })
  await page.getByText('No matching intents.').waitFor()
  expect(await filter.inputValue()).toBe('processing')
  await filter.selectOption('succeeded')
  await page.getByRole('link', { name: /F-1/ }).waitFor()
  await filter.selectOption('Any status')
  await page.getByRole('link', { name: /F-2/ }).waitFor()
})

test('shows cards and decline reasons in the timeline and simulates each outcome', async () => {
  const id = await createIntent({ ...order, orderId: 'T-1' })
  const page = await openInspector()
  await goTo(page, `intents/${id}`)
  for (const press of ['Decline', 'Decline', 'Challenge', 'Pass challenge']) {
    await page.getByRole('button', { name: press, exact: true }).click()
  }
  await page.locator('.detail header [data-status="succeeded"]').waitFor()
  expect(await page.locator('.timeline .to').allTextContents()).toEqual([
    'requires_payment_method',
    'processing · visa •••• 0002',
    'requires_payment_method · visa •••• 0002 · generic_decline',
    'processing · visa •••• 0002',
    'requires_payment_method · visa •••• 0002 · generic_decline',
    'requires_action · visa •••• 3220',
    'processing · visa •••• 3220',
    'succeeded · visa •••• 3220',
  ])
  await page.getByRole('button', { name: 'Revoke' }).click()
  await page.getByText('Revoked. A checkout needs a new intent').waitFor()
  await goTo(page, `intents/${await createIntent({ ...order, orderId: 'T-2' })}`)
  await page.getByRole('heading', { name: 'T-2' }).waitFor()
  expect(await page.title()).toBe('T-2 · Lint 1 · Inspector')
  await page.getByRole('button', { name: 'Expire', exact: true }).click()
  await page.locator('.detail header [data-status="expired"]').waitFor()
  await page.getByRole('link', { name: /T-2/ }).waitFor()
  // As in a tab that is not looked at.
  await page.evaluate(`Object.defineProperty(document, 'hidden', { value: true })`)
  await createIntent({ ...order, orderId: 'T-3' }, { 'idempotency-key': 'unseen' })
  await expect.poll(async () => await page.title()).toBe('(1) T-2 · Lint 1 · Inspector')
})

test('filters the request log and links to it from intents and issues', async () => {
  const key = { 'idempotency-key': 'followed-key-1' }
  await createIntent({ ...order, orderId: 'R-1' }, key)
  await create(service, { ...order, orderId: 'R-1', amount: 1 }, key)
  await create(service, { ...order, amount: 0 })
  const id = await createIntent({ ...order, orderId: 'R-2' }, { 'idempotency-key': 'other' })
  const page = await openInspector()
  const lines = page.locator('.log .line')
  await goTo(page, 'requests')
  await expect.poll(async () => await lines.count()).toBe(4)
  await page.getByLabel('Errors only').check()
  expect(await lines.count()).toBe(2)
  expect(await lines.first().textContent()).toContain('validation_failed /amount')
  // Sections come and go; the filter stays.
  await goTo(page, 'lint')
  await page.getByRole('link', { name: 'View request' }).click()
  await page.locator('.more').getByText('idempotency_key_reused').waitFor()
  expect(await lines.count()).toBe(2)
  await page.getByLabel('Errors only').uncheck()
  await page.getByLabel('Search requests').fill('r-1')
  await expect.poll(async () => await lines.allTextContents()).toHaveLength(2)

  await goTo(page, `intents/${id}`)
  await page.locator('.detail .log .line').click()
  await page.locator('.more bdi').getByText('R-2').waitFor()
  expect(await page.getByLabel('Search requests').inputValue()).toBe('')
  await page.keyboard.press('ArrowDown')
  await page.locator('.more').getByText('validation_failed').waitFor()
  await page.keyboard.press('Escape')
  await page.locator('.more').waitFor({ state: 'detached' })
  await goTo(page, `intents/${id}`)
  await page.getByRole('link', { name: 'All requests in the log' }).click()
  await expect.poll(async () => await page.getByLabel('Search requests').inputValue()).toBe(id)
  await expect.poll(async () => await lines.count()).toBe(1)

  await goTo(page, 'idempotency')
  const row = page.getByRole('row', { name: /followed-key-1/ })
  expect(await row.getByRole('cell').allTextContents()).toMatchObject({
    1: 'R-1',
    2: '2',
    3: '0',
    4: '1',
  })
  await goTo(page, 'lint')
  await page.getByRole('button', { name: 'Clear' }).click()
  await page.getByRole('heading', { name: 'No issues found' }).waitFor()
  await goTo(page, 'requests')
  await page.getByRole('button', { name: 'Clear' }).click()
  await page.getByRole('heading', { name: 'No requests yet' }).waitFor()
})

test('exports, resets, and imports the data, and registers and removes an origin', async () => {
  await createIntent({ ...order, orderId: 'D-1' })
  const page = await openInspector()
  await goTo(page, 'environment')
  const download = page.waitForEvent('download')
  await page.getByRole('button', { name: 'Export…' }).click()
  const file = await (await download).path()
  await page.getByRole('button', { name: 'Reset…' }).click()
  expect(await violationsIn(page)).toEqual([])
  await page.getByRole('button', { name: 'Reset', exact: true }).click()
  await page.getByText('Reset: 1 intent deleted.').waitFor()
  await page.getByLabel('Import…').setInputFiles(file)
  await page.getByText('Imported 1, skipped 0').waitFor()
  await page.getByLabel('Another origin').fill('https://shop.example.com')
  await page.getByRole('button', { name: 'Register' }).click()
  await page.getByRole('button', { name: 'Remove https://shop.example.com' }).click()
  await expect.poll(async () => await page.getByText('shop.example.com').count()).toBe(0)
  await goTo(page, 'intents')
  await page.getByRole('link', { name: /D-1/ }).waitFor()
})

test('shows the newest 200 intents and loads older ones on request', async () => {
  await createIntent({ ...order, orderId: 'the-first' })
  await Promise.all(Array.from({ length: 200 }, async () => await createIntent()))
  const page = await openInspector()
  const rows = page.locator('.rows > li')
  await expect.poll(async () => await rows.count()).toBe(200)
  await page.getByRole('link', { name: 'Intents 200+' }).waitFor()
  await page.getByRole('button', { name: 'Show older' }).click()
  await page.getByRole('link', { name: /the-first/ }).waitFor()
  expect(await rows.count()).toBe(201)
  expect(await page.getByRole('button', { name: 'Show older' }).count()).toBe(0)
  // What is new joins what is shown.
  await createIntent({ ...order, orderId: 'the-last' })
  await page.getByRole('link', { name: /the-last/ }).waitFor()
  expect(await rows.count()).toBe(202)
})

test('removes the admin token from the address, and keeps it for a reload of the tab', async () => {
  const page = await openInspector()
  const { adminToken } = service.ready
  const seen = await page.evaluate(`JSON.stringify([
    location.href,
    document.documentElement.outerHTML,
    { ...localStorage },
    history.state,
    document.cookie,
    window.name,
    performance.getEntriesByType('resource').map(({ name }) => name),
  ])`)
  expect(seen).not.toContain(adminToken)
  await page.reload()
  await page.getByText('Live', { exact: true }).waitFor()
  const other = await page.context().newPage()
  await other.goto(page.url())
  await other.getByLabel('Admin token').waitFor()
})

test('never shows an API key or a clientSecret', async () => {
  const id = await createIntent()
  await create(service, order, { 'idempotency-key': service.apiKey })
  await fetch(`${service.url}/payment-intents/${id}?api_key=${service.apiKey}`)
  const page = await openInspector()
  for (const section of [`intents/${id}`, ...sections]) {
    await goTo(page, section)
    const shown = await page.content()
    for (const secret of [service.apiKey, '_secret_']) {
      expect([section, shown.includes(secret)]).toEqual([section, false])
    }
  }
})

test('renders merchant data as text', async () => {
  const markup = '<img src=x onerror=alert(1)>'
  const id = await createIntent({
    ...order,
    orderId: '<script>alert(1)</script>',
    customer: { id: markup, name: `"'>${markup}` },
    metadata: { [markup]: `</pre>${markup}` },
  })
  const page = await openInspector()
  await goTo(page, `intents/${id}`)
  await page.getByRole('heading', { name: '<script>alert(1)</script>' }).waitFor()
  expect(await page.locator('main img, main script').count()).toBe(0)
  expect(await page.locator('.detail pre').textContent()).toContain(markup)
})

test('adds fault rules that break the next requests, and removes them', async () => {
  const page = await openInspector()
  await goTo(page, 'faults')
  await page.getByLabel('Fault').selectOption('503')
  await page.getByRole('button', { name: 'Add rule' }).click()
  await page.getByText('once more').waitFor()
  expect((await create(service)).status).toBe(503)
  await page.getByText('No fault rules. Responses are not modified.').waitFor()
  for (const times of ['2', '3']) {
    await page.getByLabel('Times').fill(times)
    await page.getByRole('button', { name: 'Add rule' }).click()
    await page.getByText(`${times} more times`).waitFor()
  }
  await page.getByRole('button', { name: 'Remove 503 on create' }).nth(1).click()
  await page.getByText('3 more times').waitFor({ state: 'detached' })
  expect(await page.getByText('2 more times').count()).toBe(1)
  await page.getByRole('button', { name: 'Clear all rules' }).click()
  await page.getByText('No fault rules. Responses are not modified.').waitFor()
})

test('moves the clock to expire an intent and back to real time', async () => {
  const id = await createIntent()
  const page = await openInspector()
  await goTo(page, 'environment')
  await page.getByRole('button', { name: '+24 h' }).click()
  await page.getByText('Clock +1 d').waitFor()
  await goTo(page, `intents/${id}`)
  await page.locator('.detail header [data-status="expired"]').waitFor()
  await goTo(page, 'environment')
  await page.getByRole('button', { name: 'Real time' }).click()
  await page.locator('.clock', { hasText: 'real time' }).waitFor()
})

test('reports a key sent by a page but not an address opened in a browser', async () => {
  const id = await createIntent(order, { 'idempotency-key': 'quiet' })
  const page = await browser.newPage()
  await page.goto(`${service.url}/payment-intents/${id}`)
  await expect
    .poll(async () => await sandboxList('requests'))
    .toMatchObject({ requests: [{ method: 'GET', status: 403 }, {}] })
  expect(await sandboxList('lint')).toEqual({ findings: [] })
  // On another site the browser sends a preflight request, which is rejected.
  const shop = await startSite((_, response) => response.end('a shop'), { name: 'shop.localhost' })
  await page.goto(shop.origin)
  await page.evaluate(
    `fetch('${service.url}/payment-intents', { headers: { authorization: 'Bearer x' } }).catch(() => {})`,
  )
  await expect
    .poll(async () => await sandboxList('lint'))
    .toMatchObject({ findings: [{ rule: 'secret_key_in_browser' }] })
  await page.close()
  await shop.close()
})

/** Reads a list of the environment. */
async function sandboxList(name: 'lint' | 'requests'): Promise<unknown> {
  const path = `/environments/${await environmentId(service)}/${name}`
  return await (await control(service, 'GET', path)).json()
}

test('registers a page’s origin from its lint issue', async () => {
  const id = await createIntent(order, { 'idempotency-key': 'page' })
  await fetch(`${service.url}/checkout/${id}`, { headers: { referer: 'http://localhost:5173/' } })
  const page = await openInspector()
  await goTo(page, 'lint')
  await page.getByRole('button', { name: 'Register http://localhost:5173' }).click()
  await page.getByRole('heading', { name: 'No issues found' }).waitFor()
  await goTo(page, 'environment')
  await page.getByRole('button', { name: 'Remove http://localhost:5173' }).waitFor()
})

test('copies a logged request as a curl command without credentials', async () => {
  await createIntent(
    { ...order, metadata: { note: "it's" } },
    { 'idempotency-key': 'copied-key-1' },
  )
  const origin = new URL(service.url).origin
  const page = await openInspector()
  await page.context().grantPermissions(['clipboard-write'], { origin })
  await goTo(page, 'requests')
  await page.locator('.log .line').first().click()
  await page.getByRole('button', { name: 'Copy as curl' }).click()
  // The page's own policy forbids reading the clipboard, so it is pasted.
  await page.evaluate(`document.body.append(document.createElement('textarea'))`)
  await page.locator('textarea').focus()
  await page.keyboard.press('Control+V')
  const copied = await page.locator('textarea').inputValue()
  expect(copied).toBe(
    [
      `curl '${origin}/payment-intents' \\`,
      `  -H "Authorization: Bearer $PI_API_KEY" \\`,
      `  -H 'Content-Type: application/json' \\`,
      `  -H "Idempotency-Key: $(uuidgen)" \\`,
      `  -d '{"amount":150000,"currency":"AMD","orderId":"A-1001","metadata":{"note":"it'\\''s"}}'`,
    ].join('\n'),
  )
})

test('navigates sections and intents with the keyboard only', async () => {
  await createIntent({ ...order, orderId: 'K-1' })
  await createIntent({ ...order, orderId: 'K-2' })
  const page = await openInspector()
  await page.keyboard.press('2')
  await page.locator('.log').waitFor()
  await page.keyboard.press('1')
  await page.locator('.rows').waitFor()
  await page.keyboard.press('ArrowDown')
  await page.getByRole('heading', { name: 'K-2' }).waitFor()
  await page.keyboard.press('ArrowDown')
  await page.getByRole('heading', { name: 'K-1' }).waitFor()
  await page.keyboard.press('Escape')
  await page.getByText('Select an intent').waitFor()
  await page.keyboard.press('/')
  await page.keyboard.type('k-2')
  await expect.poll(async () => await page.locator('.rows a').count()).toBe(1)
  await page.keyboard.press('Escape')
  // Moving through the list adds one entry to the history.
  await page.goBack()
  await page.getByRole('heading', { name: 'K-1' }).waitFor()
  await page.goBack()
  await page.getByText('Select an intent').waitFor()
  await page.goBack()
  await page.locator('main[data-section="requests"]').waitFor()
  await page.getByRole('button', { name: 'Shortcuts' }).click()
  await page.keyboard.press('1')
  await page.waitForTimeout(50)
  expect(await page.locator('main').getAttribute('data-section')).toBe('requests')
})

test('shows only the intents of the selected merchant', async () => {
  const directory = temporaryFolder()
  const shops = await startTestService({ PI_DATA_DIR: directory })
  const { apiKey } = await newKey(directory, 'Second Shop')
  await create(shops, { ...order, orderId: 'FIRST-1' })
  await create({ ...shops, apiKey }, { ...order, orderId: 'SECOND-1' })
  const page = await openInspector({ of: shops })
  await page.getByRole('link', { name: /FIRST-1/ }).click()
  await page.getByRole('heading', { name: 'FIRST-1' }).waitFor()
  const first = page.url()
  await page.getByLabel('Merchant').selectOption('Second Shop')
  await page.getByRole('link', { name: /SECOND-1/ }).waitFor()
  expect(await page.getByText('FIRST-1').count()).toBe(0)
  // A link to the other merchant's intent leads to both.
  await page.goto(first)
  await page.getByRole('heading', { name: 'FIRST-1' }).waitFor()
  await page.getByRole('link', { name: /FIRST-1/ }).waitFor()
  const selected = page.getByLabel('Merchant').locator('option:checked')
  expect(await selected.textContent()).toBe('Tsiran')
})

test('rejects the token of another start and accepts a pasted link', async () => {
  const other = await startTestService()
  const context = await browser.newContext()
  const page = await context.newPage()
  await page.goto(`${other.url}/_sandbox/#${service.ready.adminToken}`)
  const gate = page.getByRole('alert')
  await gate.getByText('Each start of the service creates a new one').waitFor()
  await page.getByLabel('Admin token').fill('пароль')
  await page.keyboard.press('Enter')
  await gate.getByText('This is not an admin token').waitFor()
  await page.getByLabel('Admin token').fill(other.ready.inspectorUrl)
  await page.keyboard.press('Enter')
  await page.getByText('Live', { exact: true }).waitFor()

  const { id } = await created(other)
  // Into the address of the open page: no more than its fragment changes.
  await page.goto(`${other.ready.inspectorUrl}/intents/${id}`)
  await page.getByRole('heading', { name: order.orderId }).waitFor()
  expect(new URL(page.url()).hash).toBe(`#/intents/${id}`)
  await page.goBack()
  expect(page.url()).not.toContain(other.ready.adminToken)
  await other.stop()
  await page.getByText('Reconnecting…').waitFor()
  await context.close()
})

test('keeps the scroll position of the tabs and moves the focus on a phone', async () => {
  const page = await openInspector({ viewport: { width: 390, height: 844 } })
  await goTo(page, 'environment')
  await page.evaluate(`document.querySelector('nav').scrollLeft = 0`)
  await createIntent()
  await page.locator('nav').getByText('Intents 1').waitFor()
  expect(await page.evaluate(`document.querySelector('nav').scrollLeft`)).toBe(0)
  await goTo(page, 'intents')
  await page.locator('.rows a').focus()
  await page.keyboard.press('Enter')
  const focused = 'document.activeElement.tagName'
  await expect.poll(async () => await page.evaluate(focused)).toBe('H2')
  await page.keyboard.press('Escape')
  await expect.poll(async () => await page.evaluate(focused)).toBe('A')
})

test('has no axe violations in the token form and in empty sections', async () => {
  const page = await openInspector({ colorScheme: 'dark', viewport: { width: 390, height: 844 } })
  for (const section of sections) {
    await goTo(page, section)
    expect([section, await violationsIn(page)]).toEqual([section, []])
  }
  await page.evaluate('sessionStorage.clear()')
  await page.reload()
  await page.getByLabel('Admin token').fill('no token')
  await page.keyboard.press('Enter')
  await page.getByRole('alert').waitFor()
  expect(await violationsIn(page)).toEqual([])
})

test.each([
  ['a desk', 'light', 1280],
  ['a desk', 'dark', 1280],
  ['a phone', 'light', 390],
  ['a phone', 'dark', 390],
] as const)('fits %s without axe violations in %s colors', async (_, colorScheme, width) => {
  const id = await createIntent(order, { 'idempotency-key': 'accessible-1' })
  await createIntent()
  await control(service, 'POST', `/environments/${await environmentId(service)}/faults`, {
    on: 'create',
    do: '500',
  })
  const page = await openInspector({ colorScheme, viewport: { width, height: 844 } })
  for (const section of [`intents/${id}`, ...sections]) {
    await goTo(page, section)
    const wide = await page.evaluate('document.documentElement.scrollWidth - innerWidth')
    expect([section, Number(wide) <= 0]).toEqual([section, true])
    expect([section, await violationsIn(page)]).toEqual([section, []])
  }
})

const sections = ['intents', 'requests', 'idempotency', 'lint', 'faults', 'environment']

async function goTo(page: Page, section: string): Promise<void> {
  await page.evaluate(`location.hash = '#/${section}'`)
  const name = section.split('/')[0]
  await page.locator(`main[data-section="${name}"]`).waitFor()
  if (section.includes('/')) await page.locator('.detail header').waitFor()
}
