import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { control } from '@pi-checkout/test-support/sandbox'
import { startSite } from '@pi-checkout/test-support/sites'
import { runPiService, startService } from '@pi-checkout/test-support/stack'
import type { Locator, Page } from '@playwright/test'
import { violationsIn } from '../fixtures/hosted-form.ts'
import { create, expect, test } from '../fixtures/inspector.ts'

async function idOf(...args: Parameters<typeof create>): Promise<string> {
  const response = await create(...args)
  expect(response.status).toBe(201)
  return (await response.json()).id
}

test('shows a new intent automatically and pays it with one click', async ({ page, merchant }) => {
  await merchant.open()
  await expect(page.getByRole('heading', { name: 'No Payment Intent yet' })).toBeVisible()
  await idOf(merchant, { orderId: 'L-1' }, { 'idempotency-key': 'live-1' })
  await rowOf(page, 'L-1').click()
  // The second press finds a button that waits for the first.
  await page.getByRole('button', { name: 'Pay', exact: true }).dblclick()
  await expect(page.locator('.detail header [data-status="succeeded"]')).toBeVisible()
  await expect(page.getByRole('alert')).toHaveCount(0)
  expect(await page.evaluate('document.activeElement.textContent')).toBe('L-1')
  const causes = ['Created', 'Confirmed by the buyer', 'Authorized by the provider']
  await expect(page.locator('.timeline .what')).toHaveText(causes)
  await expect(page.getByRole('group', { name: 'Simulate an outcome' })).toHaveCount(0)
})

test('shows a rejection until dismissed and a read error until a read succeeds', async ({
  page,
  merchant,
  pageErrors,
}) => {
  const id = await idOf(merchant)
  pageErrors.allow(/Failed to load resource/)
  await merchant.open()
  const rejectOnce = async (path: string, status: number): Promise<void> => {
    const response = { status, json: { detail: `Not now: ${status}` } }
    const pattern = `**/_sandbox/${path}`
    await page.route(pattern, async (route) => await route.fulfill(response), { times: 1 })
  }
  await goTo(page, `intents/${id}`)
  await rejectOnce('intents/*/settle', 409)
  await page.getByRole('button', { name: 'Pay', exact: true }).click()
  await expect(page.getByRole('alert').getByText('Not now: 409')).toBeVisible()
  await page.getByRole('button', { name: 'Close' }).click()
  await expect(page.getByRole('alert')).toHaveCount(0)

  await goTo(page, 'environment')
  await rejectOnce('reset', 503)
  await page.getByRole('button', { name: 'Reset…' }).click()
  await page.getByRole('button', { name: 'Reset', exact: true }).click()
  await expect(page.getByRole('alert').getByText('Not now: 503')).toBeVisible()
  await expect(page.getByText('Reset:')).toHaveCount(0)
  await goTo(page, 'requests')
  await expect(page.getByRole('alert')).toHaveCount(0)

  await rejectOnce('environments/*/requests*', 500)
  await idOf(merchant)
  await expect(page.getByRole('alert').getByText('Not now: 500')).toBeVisible()
  // The failed read is retried automatically.
  await expect(page.locator('.log > li').nth(1)).toBeVisible()
  await expect(page.getByRole('alert')).toHaveCount(0)
})

test('keeps the status filter when no intent matches anymore', async ({ page, merchant }) => {
  const id = await idOf(merchant, { orderId: 'F-1' })
  await idOf(merchant, { orderId: 'F-2' })
  await control(merchant, `/intents/${id}/settle`, { outcome: 'processing' })
  await merchant.open()
  const filter = page.getByLabel('Status')
  await filter.selectOption('processing')
  await expect(page.locator('.rows a')).toHaveCount(1)
  await control(merchant, `/intents/${id}/settle`, { outcome: 'succeeded' })
  await expect(page.getByText('No matching intents.')).toBeVisible()
  await expect(filter).toHaveValue('processing')
  await filter.selectOption('succeeded')
  await expect(rowOf(page, 'F-1')).toBeVisible()
  await filter.selectOption('Any status')
  await expect(rowOf(page, 'F-2')).toBeVisible()
  await filter.selectOption('processing')
  // A new intent does not match.
  await page.getByRole('button', { name: 'New' }).click()
  await expect(page.locator('.rows a')).toHaveCount(3)
  await expect(filter).toHaveValue('')
})

test('shows cards and decline reasons in the timeline and simulates each outcome', async ({
  page,
  merchant,
}) => {
  const id = await idOf(merchant, { orderId: 'T-1' })
  await merchant.open()
  await goTo(page, `intents/${id}`)
  for (const press of ['Decline', 'Decline', 'Challenge', 'Pass challenge']) {
    await page.getByRole('button', { name: press, exact: true }).click()
  }
  await expect(page.locator('.detail header [data-status="succeeded"]')).toBeVisible()
  await expect(page.locator('.timeline .to')).toHaveText([
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
  await expect(page.getByText('Revoked. A checkout needs a new intent')).toBeVisible()
  await goTo(page, `intents/${await idOf(merchant, { orderId: 'T-2' })}`)
  await expect(page.getByRole('heading', { name: 'T-2' })).toBeVisible()
  await page.getByRole('button', { name: 'Expire', exact: true }).click()
  await expect(page.locator('.detail header [data-status="expired"]')).toBeVisible()
})

test('a search opens its first match beside the list, and nothing if there is none', async ({
  page,
  merchant,
}) => {
  await idOf(merchant, { orderId: 'S-1' })
  await idOf(merchant, { orderId: 'S-2' })
  await merchant.open()
  const heading = page.getByRole('heading', { level: 2 })
  await expect(heading).toHaveText('S-2')
  const search = page.getByLabel('Search intents')
  await search.fill('S-1')
  await expect(heading).toHaveText('S-1')
  await search.fill('S-3')
  await expect(page.getByText('Select an intent')).toBeVisible()
  await page.getByRole('button', { name: 'Clear search and filter' }).click()
  await expect(search).toHaveValue('')
  await expect(heading).toHaveText('S-2')
  // A link from another section leads to an intent that the filter hides.
  await search.fill('S-1')
  await expect(heading).toHaveText('S-1')
  await goTo(page, 'requests')
  await page.locator('.log .line', { hasText: 'S-2' }).click()
  await page.locator('.detail dd a', { hasText: 'pi_' }).click()
  await expect(heading).toHaveText('S-2')
  await expect(rowOf(page, 'S-2')).toHaveAttribute('aria-current', 'true')
})

test('names a status with the same words in the list, the filter, and the details', async ({
  page,
  merchant,
}) => {
  await idOf(merchant, { orderId: 'W-1' })
  await merchant.open()
  const [inList, inDetails] = [rowOf(page, 'W-1'), page.locator('.detail header')]
  for (const place of [inList, inDetails]) {
    const status = place.getByText('awaiting card', { exact: true })
    await expect(status).toHaveAttribute('title', 'requires_payment_method')
  }
  await page.getByLabel('Status').selectOption('awaiting card')
  await expect(inList).toBeVisible()
})

test('is not connected while the service does not respond', async ({ page }) => {
  const { ready: api, child, stop } = await startService(['--memory'])
  await page.goto(api.inspectorUrl)
  await expect(page.getByText('Connected', { exact: true })).toBeVisible()
  child.kill('SIGSTOP')
  await expect(page.getByText('Reconnecting…')).toBeVisible()
  child.kill('SIGCONT')
  await expect(page.getByText('Connected', { exact: true })).toBeVisible()
  await page.close()
  await stop()
})

test('filters the request log and links to it from intents and issues', async ({
  page,
  merchant,
}) => {
  const key = { 'idempotency-key': 'followed-key-1' }
  await idOf(merchant, { orderId: 'R-1' }, key)
  await create(merchant, { orderId: 'R-1', amount: 1 }, key)
  await create(merchant, { amount: 0 })
  const id = await idOf(merchant, { orderId: 'R-2' }, { 'idempotency-key': 'other' })
  await merchant.open()
  const lines = page.locator('.log .line')
  await goTo(page, 'requests')
  await expect(lines).toHaveCount(4)
  await page.getByLabel('Show').selectOption('Failed')
  await expect(lines).toHaveCount(2)
  await expect(lines.first()).toContainText('validation_failed /amount')
  // Sections come and go; the filter stays.
  await goTo(page, 'lint')
  await page.getByRole('link', { name: 'View request' }).click()
  await expect(page.locator('.reasons').getByText('idempotency_key_reused')).toBeVisible()
  await expect(lines).toHaveCount(2)
  await page.getByLabel('Show').selectOption('All requests')
  await page.getByLabel('Search requests').fill('r-1')
  await expect.poll(async () => await lines.allTextContents()).toHaveLength(2)

  await goTo(page, `intents/${id}`)
  await page.locator('.detail .log .line').click()
  await expect(page.locator('request-detail bdi').getByText('R-2')).toBeVisible()
  await expect(page.getByLabel('Search requests')).toHaveValue('')
  await page.keyboard.press('ArrowDown')
  await expect(page.locator('.reasons').getByText('validation_failed')).toBeVisible()
  await page.keyboard.press('Escape')
  await expect(page.locator('.detail')).toHaveCount(0)
  await goTo(page, `intents/${id}`)
  await page.getByRole('link', { name: 'All requests in the log' }).click()
  await expect.poll(async () => await page.getByLabel('Search requests').inputValue()).toBe(id)
  await expect(lines).toHaveCount(1)

  // An order is shown although the list of intents does not have it.
  await goTo(page, 'intents')
  await page.getByLabel('Search intents').fill('r-2')
  await expect(page.locator('.rows a')).toHaveCount(1)
  await goTo(page, 'idempotency')
  const row = page.getByRole('listitem').filter({ hasText: 'followed-key-1' })
  await expect(row).toHaveText(/2 requests\s+followed-key-1\s+1 conflict\s+R-1/)
  await row.getByRole('link', { name: 'followed-key-1' }).click()
  await expect(lines).toHaveCount(2)
  await page.getByRole('link', { name: /^Requests/ }).click()
  await expect(lines).toHaveCount(4)
  await goTo(page, 'lint')
  await page.getByRole('button', { name: 'Clear' }).click()
  await expect(page.getByRole('heading', { name: 'No issues found' })).toBeVisible()
  await goTo(page, 'requests')
  await page.getByRole('button', { name: 'Clear the log' }).click()
  await expect(page.getByRole('heading', { name: 'No requests yet' })).toBeVisible()
})

test('resets the data, and registers and removes an origin', async ({ page, merchant }) => {
  await idOf(merchant, { orderId: 'D-1' })
  await merchant.open()
  await goTo(page, 'environment')
  await page.getByRole('button', { name: 'Reset…' }).click()
  expect(await violationsIn(page)).toEqual([])
  await page.getByRole('button', { name: 'Reset', exact: true }).click()
  await expect(page.getByText('Reset: 1 intent deleted.')).toBeVisible()
  await page.getByLabel('Another origin').fill('https://shop.example.com')
  await page.getByRole('button', { name: 'Register' }).click()
  await page.getByRole('button', { name: 'Remove https://shop.example.com' }).click()
  await expect(page.getByText('shop.example.com')).toHaveCount(0)
  await goTo(page, 'intents')
  await expect(rowOf(page, 'D-1')).toHaveCount(0)
})

test('shows a page of 100 intents, and a bounded number of rows on older pages', async ({
  page,
  merchant,
}) => {
  await idOf(merchant, { orderId: 'the-first' })
  await Promise.all(Array.from({ length: 100 }, async () => await idOf(merchant)))
  await merchant.open()
  const rows = page.locator('.rows > li')
  await expect(rows).toHaveCount(100)
  await expect(page.getByRole('link', { name: 'Intents 100+' })).toBeVisible()
  await page.getByRole('button', { name: 'Show older' }).click()
  await expect(rowOf(page, 'the-first')).toBeVisible()
  await expect(rows).toHaveCount(1)
  await expect(page.getByRole('button', { name: 'Show older' })).toHaveCount(0)
  await idOf(merchant, { orderId: 'the-last' })
  await page.getByRole('button', { name: 'Show newest' }).click()
  await expect(rowOf(page, 'the-last')).toBeInViewport()
  await expect(rows).toHaveCount(100)
})

test('the rows of a scrolled list stay where they are while intents arrive', async ({
  page,
  merchant,
}) => {
  await idOf(merchant, { orderId: 'watched' })
  await Promise.all(Array.from({ length: 40 }, async () => await idOf(merchant)))
  await merchant.open()
  const watched = rowOf(page, 'watched')
  await watched.scrollIntoViewIfNeeded()
  const position = async (): Promise<number> => (await watched.boundingBox())?.y ?? 0
  const before = await position()
  for (const orderId of ['NEW-1', 'NEW-2', 'NEW-3']) await idOf(merchant, { orderId })
  await expect(rowOf(page, 'NEW-3')).toHaveCount(1)
  // The browser scrolls by whole pixels.
  expect(Math.abs((await position()) - before)).toBeLessThan(1)
})

test('shows the details of a row far down where the row was clicked', async ({
  page,
  merchant,
}) => {
  await idOf(merchant, { orderId: 'far-down' })
  await Promise.all(Array.from({ length: 60 }, async () => await idOf(merchant)))
  await merchant.open()
  await rowOf(page, 'far-down').click()
  await expect(page.getByRole('heading', { name: 'far-down' })).toBeInViewport()
  await expect(rowOf(page, 'far-down')).toBeInViewport()
})

test('removes the admin token from the address, and keeps it for a reload of the tab', async ({
  page,
  merchant,
}) => {
  await merchant.open()
  const { adminToken } = merchant.api
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
  await expect(page.getByText('Connected', { exact: true })).toBeVisible()
  const other = await page.context().newPage()
  await other.goto(page.url())
  const id = await idOf(merchant)
  await other.goto(`${merchant.api.baseUrl}/_sandbox/#/intents/${id}`)
  await other.reload()
  await other.getByLabel('Admin token').fill(adminToken)
  await other.keyboard.press('Enter')
  await expect(other.getByText(id, { exact: true }).first()).toBeVisible()
  expect(new URL(other.url()).hash).toBe(`#/intents/${id}`)
})

test('never shows an API key or a clientSecret', async ({ page, merchant }) => {
  const id = await idOf(merchant)
  await create(merchant, {}, { 'idempotency-key': merchant.api.apiKey })
  await fetch(`${merchant.api.baseUrl}/payment-intents/${id}?api_key=${merchant.api.apiKey}`)
  await merchant.open()
  for (const section of [`intents/${id}`, ...sections]) {
    await goTo(page, section)
    const shown = await page.content()
    for (const secret of [merchant.api.apiKey, '_secret_']) {
      expect([section, shown.includes(secret)]).toEqual([section, false])
    }
  }
})

test('renders merchant data as text', async ({ page, merchant }) => {
  const markup = '<img src=x onerror=alert(1)>'
  const id = await idOf(merchant, {
    orderId: '<script>alert(1)</script>',
    customer: { id: markup, name: `"'>${markup}` },
    metadata: { [markup]: `</pre>${markup}` },
  })
  await merchant.open()
  await goTo(page, `intents/${id}`)
  await expect(page.getByRole('heading', { name: '<script>alert(1)</script>' })).toBeVisible()
  await expect(page.locator('main img, main script')).toHaveCount(0)
  await expect(page.locator('.detail .box > .code pre')).toContainText(markup)
})

test('adds fault rules that break the next requests, and removes them', async ({
  page,
  merchant,
}) => {
  await merchant.open()
  await goTo(page, 'faults')
  await page.getByLabel('Fault').selectOption('503')
  await page.getByRole('button', { name: 'Add rule' }).click()
  await expect(page.getByText('next 1 request')).toBeVisible()
  expect((await create(merchant)).status).toBe(503)
  await expect(page.getByText('No fault rules. Responses are not modified.')).toBeVisible()
  // A rule that is used up leaves the request that it broke.
  await expect(page.locator('.log .line')).toContainText('fault: 503')
  for (const times of ['2', '3']) {
    await page.getByLabel('Times').fill(times)
    await page.getByRole('button', { name: 'Add rule' }).click()
    await expect(page.getByText(`next ${times} requests`)).toBeVisible()
  }
  await page.getByRole('button', { name: 'Remove 503 on create' }).nth(1).click()
  await expect(page.getByText('next 3 requests')).toHaveCount(0)
  await expect(page.getByText('next 2 requests')).toHaveCount(1)
  await page.getByRole('button', { name: 'Clear all rules' }).click()
  await expect(page.getByText('No fault rules. Responses are not modified.')).toBeVisible()
})

test('moves the clock to expire an intent and back to real time', async ({ page, merchant }) => {
  const id = await idOf(merchant)
  await merchant.open()
  await goTo(page, 'environment')
  await page.getByRole('button', { name: '+24 h' }).click()
  await expect(page.getByText('Clock +1 d')).toBeVisible()
  await goTo(page, `intents/${id}`)
  await expect(page.locator('.detail header [data-status="expired"]')).toBeVisible()
  await goTo(page, 'environment')
  await page.getByRole('button', { name: 'Real time' }).click()
  await expect(page.locator('.clock', { hasText: 'real time' })).toBeVisible()
})

test('reports a key sent by a page but not an address opened in a browser', async ({
  page,
  merchant,
  pageErrors,
}) => {
  pageErrors.allow(/Failed to load resource|CORS policy/)
  const id = await idOf(merchant, {}, { 'idempotency-key': 'quiet' })
  const list = async (name: 'lint' | 'requests'): Promise<unknown> =>
    control(merchant, `${merchant.path}/${name}`)
  await page.goto(`${merchant.api.baseUrl}/payment-intents/${id}`)
  await expect
    .poll(() => list('requests'))
    .toMatchObject({ requests: [{ method: 'GET', status: 403 }, {}] })
  expect(await list('lint')).toEqual({ findings: [] })
  // On another site the browser sends a preflight request, which is rejected.
  const shop = await startSite((_, response) => response.end('a shop'), { name: 'shop.localhost' })
  await page.goto(shop.origin)
  await page.evaluate(async (url) => {
    await fetch(url, { headers: { authorization: 'Bearer x' } }).catch(() => undefined)
  }, `${merchant.api.baseUrl}/payment-intents`)
  await expect
    .poll(() => list('lint'))
    .toMatchObject({ findings: [{ rule: 'secret_key_in_browser' }] })
  await page.close()
  await shop.close()
})

test('registers a page’s origin from its lint issue', async ({ page, merchant }) => {
  const id = await idOf(merchant, {}, { 'idempotency-key': 'page' })
  await fetch(`${merchant.api.baseUrl}/checkout/${id}`, {
    headers: { referer: 'http://localhost:5173/' },
  })
  await merchant.open()
  await goTo(page, 'lint')
  await page.getByRole('button', { name: 'Register http://localhost:5173' }).click()
  await expect(page.getByRole('heading', { name: 'No issues found' })).toBeVisible()
  await goTo(page, 'environment')
  await expect(page.getByRole('button', { name: 'Remove http://localhost:5173' })).toBeVisible()
})

test('navigates sections and intents with the keyboard only', async ({ page, merchant }) => {
  await idOf(merchant, { orderId: 'K-1' })
  await idOf(merchant, { orderId: 'K-2' })
  await merchant.open()
  await expect(page.getByRole('heading', { name: 'K-2' })).toBeVisible()
  await page.keyboard.press('2')
  await expect(page.locator('.log')).toBeVisible()
  await page.keyboard.press('1')
  await expect(page.locator('.rows')).toBeVisible()
  await page.keyboard.press('ArrowDown')
  await expect(page.getByRole('heading', { name: 'K-2' })).toBeVisible()
  await page.keyboard.press('ArrowDown')
  await expect(page.getByRole('heading', { name: 'K-1' })).toBeVisible()
  await page.keyboard.press('Escape')
  await expect(page.getByText('Select an intent')).toBeVisible()
  await page.keyboard.press('/')
  await page.keyboard.type('k-2')
  await expect(page.locator('.rows a')).toHaveCount(1)
  await page.keyboard.press('Escape')
  // Moving through the list adds one entry to the history.
  await page.goBack()
  await expect(page.getByRole('heading', { name: 'K-1' })).toBeVisible()
  await page.goBack()
  await expect(page.getByText('Select an intent')).toBeVisible()
  await page.goBack()
  await expect(page.locator('main[data-section="requests"]')).toBeVisible()
  await page.getByRole('button', { name: 'Turn off 1–6 and /' }).click()
  await page.keyboard.press('1')
  await page.waitForTimeout(50)
  expect(await page.locator('main').getAttribute('data-section')).toBe('requests')
})

test('shows only the intents of the selected merchant', async ({ page }, { outputDir }) => {
  const store = ['--data', outputDir]
  const service = await startService(store)
  const { ready: api, stop } = service
  const key = ['keys', 'create', '--merchant', 'Second Shop', '--environment', 'test', '--json']
  const { apiKey } = JSON.parse(await runPiService([...key, ...store]))
  await create({ api }, { orderId: 'FIRST-1' })
  await create({ api: { ...api, apiKey } }, { orderId: 'SECOND-1' })
  await page.goto(api.inspectorUrl)
  await rowOf(page, 'FIRST-1').click()
  await expect(page.getByRole('heading', { name: 'FIRST-1' })).toBeVisible()
  const first = page.url()
  await page.getByLabel('Merchant').selectOption('Second Shop')
  await expect(rowOf(page, 'SECOND-1')).toBeVisible()
  await expect(page.getByText('FIRST-1')).toHaveCount(0)
  // A link to the other merchant's intent leads to both.
  await page.goto(first)
  await expect(page.getByRole('heading', { name: 'FIRST-1' })).toBeVisible()
  await expect(rowOf(page, 'FIRST-1')).toBeVisible()
  await expect(page.getByLabel('Merchant').locator('option:checked')).toHaveText('Tsiran')
  await page.close()
  await stop()
})

test('rejects the token of another start and accepts a pasted link', async ({
  page,
  merchant,
  pageErrors,
}) => {
  pageErrors.allow(/Failed to load resource/)
  const { ready: api, stop } = await startService(['--memory'])
  await page.goto(`${api.baseUrl}/_sandbox/#${merchant.api.adminToken}`)
  const gate = page.getByRole('alert')
  await expect(gate).toContainText('Each start of the service creates a new one')
  await page.getByLabel('Admin token').fill('пароль')
  await page.keyboard.press('Enter')
  await expect(gate).toContainText('This is not an admin token')
  await page.getByLabel('Admin token').fill(api.inspectorUrl)
  await page.keyboard.press('Enter')
  await expect(page.getByText('Connected', { exact: true })).toBeVisible()

  const id = await idOf({ api })
  // Into the address of the open page: no more than its fragment changes.
  await page.goto(`${api.inspectorUrl}/intents/${id}`)
  await expect(page.getByRole('heading', { name: 'A-1' })).toBeVisible()
  expect(new URL(page.url()).hash).toBe(`#/intents/${id}`)
  await page.goBack()
  expect(page.url()).not.toContain(api.adminToken)
  await stop()
  await expect(page.getByText('Reconnecting…')).toBeVisible()
})

test.describe('on a phone', () => {
  test.use({ viewport: { width: 390, height: 844 }, colorScheme: 'dark' })

  test('shows the tab of a section, and moves the focus to an intent and back, on a phone', async ({
    page,
    merchant,
  }) => {
    await idOf(merchant)
    await merchant.open()
    await goTo(page, 'environment')
    const tab = page.locator('nav').getByText('Environment')
    const { x = 0, width = 0 } = (await tab.boundingBox()) ?? {}
    expect(x + width).toBeLessThanOrEqual(390)
    await goTo(page, 'intents')
    await page.locator('.rows a').focus()
    await page.keyboard.press('Enter')
    const focused = 'document.activeElement.tagName'
    await expect.poll(async () => await page.evaluate(focused)).toBe('H2')
    // Each fact has at most two lines.
    for (const fact of await page.locator('.detail dl > div').all()) {
      expect((await fact.boundingBox())?.height).toBeLessThan(45)
    }
    await page.keyboard.press('Escape')
    await expect.poll(async () => await page.evaluate(focused)).toBe('A')
  })

  test('has no axe violations in the token form and in empty sections', async ({
    page,
    merchant,
  }) => {
    await merchant.open()
    for (const section of sections) {
      await goTo(page, section)
      expect([section, await violationsIn(page)]).toEqual([section, []])
    }
    await page.evaluate('sessionStorage.clear()')
    await page.reload()
    await page.getByLabel('Admin token').fill('no token')
    await page.keyboard.press('Enter')
    await expect(page.getByRole('alert')).toBeVisible()
    expect(await violationsIn(page)).toEqual([])
  })
})

for (const [place, colorScheme, width] of [
  ['a desk', 'light', 1280],
  ['a desk', 'dark', 1280],
  ['a phone', 'light', 390],
  ['a phone', 'dark', 390],
] as const) {
  test.describe(`on ${place} in ${colorScheme} colors`, () => {
    test.use({ viewport: { width, height: 844 }, colorScheme })

    test(`fits ${place} without axe violations in ${colorScheme} colors`, async ({
      page,
      merchant,
    }) => {
      const id = await idOf(merchant, {}, { 'idempotency-key': 'accessible-1' })
      await idOf(merchant)
      await control(merchant, `${merchant.path}/faults`, { on: 'create', do: '500', times: 1 })
      await merchant.open()
      for (const section of [`intents/${id}`, ...sections]) {
        await goTo(page, section)
        const right = await page.evaluate(() => {
          const lines = [...document.querySelectorAll('.line')]
          const edges = lines.map((line) => line.getBoundingClientRect().right)
          return Math.max(document.documentElement.scrollWidth, ...edges)
        })
        expect([section, right <= width]).toEqual([section, true])
        expect([section, await smallTexts(page)]).toEqual([section, []])
        expect([section, await faintFields(page)]).toEqual([section, []])
        expect([section, await violationsIn(page)]).toEqual([section, []])
      }
      await goTo(page, 'requests')
      await page.locator('.log .line').first().click()
      await expect(page.getByRole('button', { name: 'Copy as curl' })).toBeVisible()
      expect(await violationsIn(page)).toEqual([])
    })
  })
}

test('opens the newest intent at the start, and no other one when a newer one arrives', async ({
  page,
  stack,
}) => {
  await control(stack, '/reset', {})
  await idOf(stack, { orderId: 'OLD-1' })
  await idOf(stack, { orderId: 'NEW-1' })
  await page.goto(stack.api.inspectorUrl)
  const heading = page.getByRole('heading', { level: 2 })
  await expect(heading).toHaveText('NEW-1')
  await idOf(stack, { orderId: 'NEWER-1' })
  await expect(rowOf(page, 'NEWER-1')).toBeVisible()
  await expect(heading).toHaveText('NEW-1')
  // One entry of the history, so Back leaves the inspector.
  expect(await page.evaluate(() => history.length)).toBe(2)
})

test('starts without a terminal: creates a key that works, and a test intent', async ({
  page,
  merchant,
}) => {
  await merchant.open()
  await page.getByRole('button', { name: 'Create a test intent' }).click()
  await expect(page.getByRole('heading', { name: 'A-1001' })).toBeVisible()
  await expect(page.locator('.rows a')).toHaveCount(1)
  await goTo(page, 'environment')
  await page.getByRole('button', { name: 'Create a key' }).click()
  const apiKey = (await page.locator('.box pre').textContent()) ?? ''
  expect((await create({ api: { ...merchant.api, apiKey } })).status).toBe(201)
  const display = `pi_sk_test_…${apiKey.trim().slice(-4)}`
  // Shown once.
  await goTo(page, 'lint')
  await goTo(page, 'environment')
  await expect(page.locator('.box pre')).toHaveCount(0)
  expect(await page.content()).not.toContain(apiKey)
  await page.getByRole('button', { name: `Revoke ${display}` }).click()
  expect(await violationsIn(page)).toEqual([])
  await page.getByRole('button', { name: 'Revoke', exact: true }).click()
  await expect(page.getByRole('button', { name: `Revoke ${display}` })).toHaveCount(0)
  expect((await create({ api: { ...merchant.api, apiKey } })).status).toBe(401)
})

test('filters idempotency keys by text and result, and keeps the filter', async ({
  page,
  merchant,
}) => {
  const key = (name: string) => ({ 'idempotency-key': name })
  for (const name of ['replayed-1', 'replayed-1', 'changed-1', 'once-1']) {
    await idOf(merchant, { orderId: `I-${name}` }, key(name))
  }
  await create(merchant, { orderId: 'I-2' }, key('changed-1'))
  await merchant.open('idempotency')
  const rows = page.locator('.log .line')
  await expect(rows).toHaveCount(3)
  const [search, show] = [page.getByLabel('Search keys'), page.getByLabel('Show')]
  await search.fill('i-ONCE')
  await expect(rows).toHaveText(/once-1/)
  await search.fill('')
  await show.selectOption('Replays')
  await expect(rows).toHaveText(/replayed-1/)
  await goTo(page, 'lint')
  await goTo(page, 'idempotency')
  await expect(rows).toHaveText(/replayed-1/)
  await show.selectOption('Lost responses')
  await page.getByRole('button', { name: 'Clear search and filter' }).click()
  await expect(rows).toHaveCount(3)
})

test('groups the outcomes with their hints, and shows a command that works for each', async ({
  page,
  merchant,
}) => {
  await idOf(merchant, { orderId: 'O-1' })
  await merchant.open()
  const groups = page.locator('[aria-labelledby="outcomes"] > section')
  await expect(groups.locator('h4')).toHaveText(['Buyer', 'Bank', 'Time'])
  await expect(groups.nth(1)).toContainText('The buyer can try again')
  await page.getByRole('button', { name: 'curl', exact: true }).click()
  await expect(groups.locator('pre')).toHaveCount(7)
  const command = (await groups.locator('pre').first().textContent()) ?? ''
  const env = { ...process.env, PI_ADMIN_TOKEN: merchant.api.adminToken }
  await promisify(execFile)('sh', ['-c', command], { env })
  await expect(page.locator('.timeline')).toContainText('Authorized by the provider')
})

test('in forced colors, the current tab, the open row, and the dots can be seen', async ({
  page,
  merchant,
}) => {
  await page.emulateMedia({ forcedColors: 'active' })
  await idOf(merchant, { orderId: 'C-1' })
  await idOf(merchant, { orderId: 'C-2' })
  await merchant.open()
  await expect(rowOf(page, 'C-2')).toHaveAttribute('aria-current', 'true')
  const seen = await page.evaluate(() => {
    const ground = getComputedStyle(document.documentElement).backgroundColor
    const tabs = [...document.querySelectorAll('nav a')]
    const rows = [...document.querySelectorAll('.rows a')]
    const dots = [...document.querySelectorAll('.dot')]
    return {
      tabs: tabs.filter((tab) => getComputedStyle(tab).borderBottomColor !== ground).length,
      rows: rows.filter((row) => getComputedStyle(row).outlineStyle === 'solid').length,
      hiddenDots: dots.filter((dot) => getComputedStyle(dot, '::before').borderStyle === 'none')
        .length,
    }
  })
  expect(seen).toEqual({ tabs: 1, rows: 1, hiddenDots: 0 })
})

function rowOf(page: Page, orderId: string): Locator {
  return page.locator('.rows a', { hasText: orderId })
}

const sections = ['intents', 'requests', 'idempotency', 'lint', 'faults', 'environment']

async function goTo(page: Page, section: string): Promise<void> {
  await page.evaluate(`location.hash = '#/${section}'`)
  const name = section.split('/')[0]
  await expect(page.locator(`main[data-section="${name}"]`)).toBeVisible()
  if (section.includes('/')) await expect(page.locator('.detail header')).toBeVisible()
}

/** Visible texts below 12 px. */
async function smallTexts(page: Page): Promise<string[]> {
  return await page.evaluate(() => {
    const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT)
    const small: string[] = []
    while (texts.nextNode()) {
      const { textContent: text, parentElement: parent } = texts.currentNode
      if (!text?.trim() || !parent?.checkVisibility()) continue
      if (Number.parseFloat(getComputedStyle(parent).fontSize) < 12) small.push(text)
    }
    return small
  })
}

/** Fields whose border has less contrast than 3:1 to the field. WCAG 2.2, 1.4.11 */
async function faintFields(page: Page): Promise<string[]> {
  return await page.evaluate(() => {
    const luminance = (color: string): number => {
      const [red = 0, green = 0, blue = 0] = (color.match(/[\d.]+/g) ?? [])
        .map((part) => Number(part) / 255)
        .map((part) => (part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4))
      return 0.2126 * red + 0.7152 * green + 0.0722 * blue
    }
    const fields = [...document.querySelectorAll('input:not([type=checkbox]), select')]
    return fields
      .filter((field) => {
        const { borderTopColor, backgroundColor } = getComputedStyle(field)
        const [one = 0, other = 0] = [borderTopColor, backgroundColor]
          .map(luminance)
          .sort((a, b) => b - a)
        return (one + 0.05) / (other + 0.05) < 3
      })
      .map(({ outerHTML }) => outerHTML)
  })
}
