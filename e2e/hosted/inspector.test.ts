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

test('shows a new intent automatically, and pays it with one click', async ({ page, merchant }) => {
  await merchant.open()
  await expect(page.getByRole('heading', { name: 'No Payment Intent yet' })).toBeVisible()
  await idOf(merchant, { orderId: 'L-1' }, { 'idempotency-key': 'live-1' })
  // A second press does nothing, and finds no other outcome at this place.
  await page.getByRole('button', { name: 'Pay', exact: true }).dblclick()
  await expect(page.locator('.detail header [data-status="succeeded"]')).toBeVisible()
  await expect(page.getByRole('alert')).toHaveCount(0)
  expect(await page.evaluate('document.activeElement.textContent')).toContain('L-1')
  const causes = ['Created', 'Confirmed by the buyer', 'Authorized by the provider']
  await expect(page.locator('.timeline .what')).toHaveText(causes)
  await expect(page.getByRole('group', { name: 'Simulate an outcome' })).toHaveCount(0)
})

test('two clicks settle a payment; each outcome has its line with card and reason', async ({
  page,
  merchant,
}) => {
  const id = await idOf(merchant, { orderId: 'T-1' })
  await control(merchant, `/intents/${id}/settle`, { outcome: 'declined' })
  await control(merchant, `/intents/${id}/settle`, { outcome: 'processing' })
  await idOf(merchant, { orderId: 'T-2' })
  await merchant.open()
  await rowOf(page, 'T-1').click()
  await page.getByRole('button', { name: 'Succeed' }).click()
  await expect(page.locator('.detail header [data-status="succeeded"]')).toBeVisible()
  await expect(page.locator('.timeline .to')).toHaveText([
    'requires_payment_method',
    'processing · visa •••• 0002',
    'requires_payment_method · visa •••• 0002 · generic_decline',
    'processing · visa •••• 0077',
    'succeeded · visa •••• 0077',
  ])
})

test('finds an order among 1,000 without a click', async ({ page, merchant }) => {
  await idOf(merchant, { orderId: 'SOUGHT-1' })
  for (let batch = 0; batch < 20; batch++) {
    await Promise.all(Array.from({ length: 50 }, async () => await idOf(merchant)))
  }
  await merchant.open()
  await expect(page.locator('.rows > li')).toHaveCount(100)
  await page.keyboard.press('/')
  await page.keyboard.type('SOUGHT-1')
  await expect(page.locator('.rows > li')).toHaveCount(1)
  await expect(page.getByRole('heading', { name: 'SOUGHT-1' })).toBeVisible()
  await page.keyboard.press('Control+A')
  await page.keyboard.type('NOTHING')
  await expect(page.getByText('No matching intents.')).toBeVisible()
  await expect(page.getByText('Select an intent')).toBeVisible()
  await page.getByRole('button', { name: 'Show newest' }).click()
  await expect(page.locator('.rows > li')).toHaveCount(100)
  await page.getByRole('button', { name: 'Show older' }).click()
  await expect(page.getByRole('button', { name: 'Show newest' })).toBeVisible()
})

test('moves the focus and the open intent with the arrows, and closes it with Esc', async ({
  page,
  merchant,
}) => {
  for (const orderId of ['K-1', 'K-2', 'K-3']) await idOf(merchant, { orderId })
  await merchant.open()
  const [heading, focused] = [page.getByRole('heading', { level: 2 }), page.locator(':focus')]
  await expect(heading).toContainText('K-3')
  for (const [key, orderId] of [
    ['ArrowDown', 'K-2'],
    ['ArrowDown', 'K-1'],
    ['ArrowUp', 'K-2'],
  ] as const) {
    await page.keyboard.press(key)
    await expect(heading).toContainText(orderId)
    await expect(focused).toContainText(orderId)
  }
  // No other intent is opened when a newer one arrives.
  await idOf(merchant, { orderId: 'K-4' })
  await expect(rowOf(page, 'K-4')).toBeVisible()
  await expect(heading).toContainText('K-2')
  await page.keyboard.press('Escape')
  await expect(page.getByText('Select an intent')).toBeVisible()
  // Digits are no shortcuts.
  await page.keyboard.press('2')
  await expect(page.locator('main[data-section="intents"]')).toBeVisible()
})

test('shows a rejection until dismissed, and a read error until a read succeeds', async ({
  page,
  merchant,
  pageErrors,
}) => {
  pageErrors.allow(/Failed to load resource/)
  await idOf(merchant, { orderId: 'E-1' })
  await merchant.open()
  const rejectOnce = async (path: string, status: number): Promise<void> => {
    const response = { status, json: { detail: `Not now: ${status}` } }
    const pattern = `**/_sandbox/${path}`
    await page.route(pattern, async (route) => await route.fulfill(response), { times: 1 })
  }
  await rejectOnce('intents/*/settle', 409)
  await page.getByRole('button', { name: 'Pay', exact: true }).click()
  await expect(page.getByRole('alert').getByText('Not now: 409')).toBeVisible()
  await page.getByRole('button', { name: 'Close' }).click()
  await expect(page.getByRole('alert')).toHaveCount(0)
  await rejectOnce('environments', 500)
  await expect(page.getByRole('alert').getByText('Not now: 500')).toBeVisible()
  // The failed read is retried automatically.
  await expect(page.getByRole('alert')).toHaveCount(0)
})

test('a section opened while the service is down says so, and appears when it is back', async ({
  page,
}) => {
  const { ready: api, child, stop } = await startService(['--memory'])
  await page.goto(api.inspectorUrl)
  await expect(page.getByText('Connected', { exact: true })).toBeVisible()
  child.kill('SIGSTOP')
  await page.getByRole('link', { name: 'Requests' }).click()
  await expect(page.getByText('Reconnecting…')).toBeVisible()
  await expect(page.getByText('The service does not respond.')).toBeVisible()
  child.kill('SIGCONT')
  await expect(page.getByText('Connected', { exact: true })).toBeVisible()
  await expect(page.getByRole('heading', { name: 'No requests yet' })).toBeVisible()
  await page.close()
  await stop()
})

test('the token is in no address and no lasting store, and another tab gets it', async ({
  page,
  merchant,
}) => {
  const id = await idOf(merchant, { orderId: 'TAB-1' })
  await merchant.open()
  const { adminToken, baseUrl } = merchant.api
  const seen = `JSON.stringify([
    location.href,
    document.documentElement.outerHTML,
    { ...localStorage },
    history.state,
    document.cookie,
    window.name,
    performance.getEntriesByType('resource').map(({ name }) => name),
  ])`
  expect(await page.evaluate(seen)).not.toContain(adminToken)
  await page.reload()
  await expect(page.getByText('Connected', { exact: true })).toBeVisible()
  // As the shop's link to the inspector opens it.
  const other = await page.context().newPage()
  await other.goto(`${baseUrl}/_sandbox/#/intents/${id}`)
  await expect(other.getByRole('heading', { name: 'TAB-1' })).toBeVisible()
  expect(await other.evaluate(seen)).not.toContain(adminToken)
  await page.close()
  await other.reload()
  await expect(other.getByRole('heading', { name: 'TAB-1' })).toBeVisible()
  await other.close()
  // With the last tab, it is gone. A tab that gets it unlocks those that have none.
  const [locked, unlocked] = [await other.context().newPage(), await other.context().newPage()]
  await locked.goto(`${baseUrl}/_sandbox/`)
  await expect(locked.getByLabel('Admin token')).toBeVisible()
  await unlocked.goto(`${baseUrl}/_sandbox/#${adminToken}`)
  await expect(locked.getByText('Connected', { exact: true })).toBeVisible()
})

test('no other origin gets the token', async ({ merchant, context }) => {
  await merchant.open()
  const { port } = new URL(merchant.api.baseUrl)
  const site = await startSite((_, response) => response.end('a site'), { name: 'localhost' })
  const other = await context.newPage()
  const ask = `new Promise((resolve) => {
    const channel = new BroadcastChannel('pi-inspector')
    channel.onmessage = ({ data }) => resolve(data)
    channel.postMessage('?')
    setTimeout(() => resolve('nothing'), 500)
  })`
  for (const url of [site.origin, `http://localhost:${port}/docs`]) {
    await other.goto(url)
    expect([url, await other.evaluate(ask)]).toEqual([url, 'nothing'])
  }
  await site.close()
})

test('rejects the token of another start, and accepts a pasted link', async ({
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
  expect(new URL(page.url()).hash).toMatch(new RegExp(`^#/env_\\w+/intents/${id}$`))
  await page.goBack()
  expect(page.url()).not.toContain(api.adminToken)
  await stop()
  await expect(page.getByText('Reconnecting…')).toBeVisible()
})

test('keeps two merchants apart, also after a reload', async ({ page }, { outputDir }) => {
  const store = ['--data', outputDir]
  const { ready: api, stop } = await startService(store)
  const key = ['keys', 'create', '--merchant', 'Second Shop', '--environment', 'test', '--json']
  const { apiKey } = JSON.parse(await runPiService([...key, ...store]))
  await create({ api }, { orderId: 'FIRST-1' })
  await create({ api: { ...api, apiKey } }, { orderId: 'SECOND-1' })
  await page.goto(api.inspectorUrl)
  await expect(page.getByRole('heading', { name: 'FIRST-1' })).toBeVisible()
  const first = page.url()
  const letter = page.locator('.letter')
  const firstLetter = await letter.evaluate((element) => element.outerHTML)
  await page.getByLabel('Merchant').selectOption('Second Shop')
  for (let load = 0; load < 2; load++) {
    await expect(page.getByRole('heading', { name: 'SECOND-1' })).toBeVisible()
    await expect(page.getByText('FIRST-1')).toHaveCount(0)
    await expect(page).toHaveTitle('Second Shop · Inspector · pi-checkout service')
    expect(await letter.evaluate((element) => element.outerHTML)).not.toBe(firstLetter)
    await page.reload()
  }
  // A link to the other merchant's intent leads to both.
  await page.goto(first)
  await expect(rowOf(page, 'FIRST-1')).toBeVisible()
  await expect(page.getByLabel('Merchant').locator('option:checked')).toHaveText('Tsiran')
  await page.close()
  await stop()
})

test('never shows an API key or a clientSecret', async ({ page, merchant }) => {
  const id = await idOf(merchant)
  await create(merchant, {}, { 'idempotency-key': merchant.api.apiKey })
  await fetch(`${merchant.api.baseUrl}/payment-intents/${id}?api_key=${merchant.api.apiKey}`)
  await merchant.open()
  for (const section of sections) {
    await goTo(page, section)
    const shown = await page.content()
    for (const secret of [merchant.api.apiKey, '_secret_']) {
      expect([section, shown.includes(secret)]).toEqual([section, false])
    }
  }
})

test('renders merchant data as text', async ({ page, merchant }) => {
  const markup = '<img src=x onerror=alert(1)>'
  await idOf(merchant, {
    orderId: '<script>alert(1)</script>',
    customer: { id: markup, name: `"'>${markup}` },
    metadata: { [markup]: `</pre>${markup}` },
  })
  await merchant.open()
  await expect(page.getByRole('heading', { name: '<script>alert(1)</script>' })).toBeVisible()
  await expect(page.locator('main img, main script')).toHaveCount(0)
  await expect(page.locator('.detail > .code pre')).toContainText(markup)
})

test('starts without a terminal: creates a key that works, and a test intent', async ({
  page,
  merchant,
}) => {
  await merchant.open()
  await page.getByRole('button', { name: 'Create a test intent' }).click()
  await expect(page.getByRole('heading', { name: 'A-1001' })).toBeVisible()
  await goTo(page, 'Settings')
  await page.getByRole('button', { name: 'Create a key' }).click()
  const apiKey = (await page.locator('.box pre').textContent()) ?? ''
  expect((await create({ api: { ...merchant.api, apiKey } })).status).toBe(201)
  const display = `pi_sk_test_…${apiKey.trim().slice(-4)}`
  // Shown once.
  await goTo(page, 'Faults')
  await goTo(page, 'Settings')
  await expect(page.locator('.box pre')).toHaveCount(0)
  expect(await page.content()).not.toContain(apiKey)
  page.once('dialog', (question) => void question.accept())
  await page.getByRole('button', { name: `Revoke ${display}` }).click()
  await expect(page.getByRole('button', { name: `Revoke ${display}` })).toHaveCount(0)
  expect((await create({ api: { ...merchant.api, apiKey } })).status).toBe(401)
})

test('moves the clock and back, registers and removes an origin, and resets', async ({
  page,
  merchant,
}) => {
  await idOf(merchant, { orderId: 'D-1' })
  await merchant.open('settings')
  await page.getByRole('button', { name: '+10 min' }).click()
  await expect(page.getByText('Clock +10 min')).toBeVisible()
  await page.getByRole('button', { name: '+24 h' }).click()
  await goTo(page, 'Intents')
  await expect(page.locator('.detail header [data-status="expired"]')).toBeVisible()
  await goTo(page, 'Settings')
  await page.getByRole('button', { name: 'Real time' }).click()
  await expect(page.locator('.clock', { hasText: 'real time' })).toBeVisible()
  await page.getByLabel('Another origin').fill('https://shop.example.com')
  await page.getByRole('button', { name: 'Register' }).click()
  await page.getByRole('button', { name: 'Remove https://shop.example.com' }).click()
  await expect(page.locator('code', { hasText: 'shop.example.com' })).toHaveCount(0)
  const button = page.getByRole('button', { name: 'Reset…' })
  // Dismissed, it does nothing.
  page.once('dialog', (question) => void question.dismiss())
  await button.click()
  page.once('dialog', (question) => void question.accept())
  await button.click()
  await expect(page.getByText('Deleted intents: 1.')).toBeVisible()
  await goTo(page, 'Intents')
  await expect(page.getByRole('heading', { name: 'No Payment Intent yet' })).toBeVisible()
})

for (const [place, colorScheme, width] of [
  ['a desk', 'light', 1280],
  ['a desk', 'dark', 1280],
  ['a phone', 'light', 320],
  ['a phone', 'dark', 390],
] as const) {
  test.describe(`on ${place} in ${colorScheme} colors`, () => {
    test.use({ viewport: { width, height: 844 }, colorScheme })

    test(`fits ${place} without axe violations, in ${colorScheme} colors`, async ({
      page,
      merchant,
    }) => {
      await merchant.open()
      for (const section of sections) {
        await goTo(page, section)
        expect([section, await violationsIn(page)]).toEqual([section, []])
      }
      await idOf(merchant, { orderId: 'W'.repeat(32) }, { 'idempotency-key': 'accessible-1' })
      await create(merchant, { amount: 0 })
      await control(merchant, `${merchant.path}/faults`, { on: 'create', do: '500', times: 1 })
      for (const section of sections) {
        await goTo(page, section)
        const item = page.locator('.list [data-id]').first()
        if (section === 'Intents' || section === 'Requests') {
          await item.focus()
          await page.keyboard.press('Enter')
          await expect(page.locator('.detail header')).toBeVisible()
        }
        for (const size of ['', '200%']) {
          await page.evaluate(`document.documentElement.style.fontSize = '${size}'`)
          const right = await page.evaluate('document.documentElement.scrollWidth')
          expect([section, size, right]).toEqual([section, size, width])
          expect([section, await violationsIn(page)]).toEqual([section, []])
        }
        await page.evaluate(`document.documentElement.style.fontSize = ''`)
        expect([section, await smallTexts(page)]).toEqual([section, []])
        expect([section, await faintFields(page)]).toEqual([section, []])
      }
    })
  })
}

test.describe('on a phone', () => {
  test.use({ viewport: { width: 390, height: 844 } })

  test('moves the focus to an opened intent, and back to its row', async ({ page, merchant }) => {
    await idOf(merchant, { orderId: 'P-1' })
    await merchant.open()
    await rowOf(page, 'P-1').focus()
    await page.keyboard.press('Enter')
    await expect(page.locator('h2:focus')).toContainText('P-1')
    await expect(page.locator('.list')).toBeHidden()
    await page.keyboard.press('Escape')
    await expect(page.locator('.list a:focus')).toContainText('P-1')
  })
})

test('in forced colors, the tab, the row, the filter, and the dots can be seen', async ({
  page,
  merchant,
}) => {
  await page.emulateMedia({ forcedColors: 'active' })
  await idOf(merchant, { orderId: 'C-1' })
  await idOf(merchant, { orderId: 'C-2' })
  await merchant.open('requests')
  await page.locator('.line').first().click()
  await expect(page.locator('[data-id][aria-current="true"]')).toHaveCount(1)
  const seen = await page.evaluate(() => {
    const ground = getComputedStyle(document.documentElement).backgroundColor
    const count = (selector: string, test: (style: CSSStyleDeclaration) => boolean): number =>
      [...document.querySelectorAll(selector)].filter((each) => test(getComputedStyle(each))).length
    const outlined = ({ outlineStyle }: CSSStyleDeclaration): boolean => outlineStyle === 'solid'
    return {
      tabs: count('nav a', ({ borderBottomColor }) => borderBottomColor !== ground),
      rows: count('.list .line[aria-current="true"]', outlined),
      filters: count('.chips button', outlined),
    }
  })
  expect(seen).toEqual({ tabs: 1, rows: 1, filters: 1 })
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

function rowOf(page: Page, orderId: string): Locator {
  return page.locator('.rows a', { hasText: orderId })
}

const sections = ['Intents', 'Requests', 'Faults', 'Settings']

async function goTo(page: Page, section: string): Promise<void> {
  await page.locator('nav').getByRole('link', { name: section }).click()
  await expect(page.locator(`main[data-section="${section.toLowerCase()}"]`)).toBeVisible()
  await expect(page.getByText('Loading…')).toHaveCount(0)
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
