import { control } from '@pi-checkout/test-support/sandbox'
import { startSite } from '@pi-checkout/test-support/sites'
import { startService } from '@pi-checkout/test-support/stack'
import type { Locator, Page } from '@playwright/test'
import { violationsIn } from '../fixtures/hosted-form.ts'
import { create, expect, test } from '../fixtures/inspector.ts'
import { createIntent } from '../fixtures/merchant.ts'

test('shows a new intent automatically, and offers the outcomes of its status', async ({
  page,
  merchant,
}) => {
  await merchant.open()
  await expect(page.getByRole('heading', { name: 'No Payment Intent yet' })).toBeVisible()
  await createIntent(merchant, { orderId: 'L-1' })
  await rowOf(page, 'L-1').click()
  // The button leaves, and the focus passes to no other outcome.
  await page.getByRole('button', { name: 'Challenge' }).press('Enter')
  await expect(openStatus(page, 'requires_action')).toBeVisible()
  await expect(page.locator('main:focus')).toBeVisible()
  const wait = page.getByText('Waits until')
  await expect(wait).toBeVisible()
  await page.getByRole('button', { name: 'Process' }).click()
  await expect(openStatus(page, 'processing')).toBeVisible()
  const outcomes = page.getByRole('group', { name: 'Simulate an outcome' })
  await expect(outcomes.getByRole('button')).toHaveText(['Succeed', 'Decline', 'Fail for good'])
  // It waits without end.
  await expect(wait).toHaveCount(0)
  await page.getByRole('button', { name: 'Succeed' }).click()
  await expect(openStatus(page, 'succeeded')).toBeVisible()
  await expect(outcomes).toHaveCount(0)
})

test('two clicks settle a payment, whose outcomes have their lines', async ({ page, merchant }) => {
  const { id } = await createIntent(merchant, { orderId: 'T-1' })
  await control(merchant, `/intents/${id}/settle`, { outcome: 'declined' })
  await control(merchant, `/intents/${id}/settle`, { outcome: 'processing' })
  await createIntent(merchant, { orderId: 'T-2' })
  await merchant.open()
  await rowOf(page, 'T-1').click()
  await page.getByRole('button', { name: 'Succeed' }).click()
  await expect(openStatus(page, 'succeeded')).toBeVisible()
  await expect(page.locator('ol > li')).toHaveCount(5)
  await expect(page.locator('ol > li')).toContainText([
    'Your server created it requires_payment_method',
    'The buyer confirmed processing visa •••• 0002',
    'The bank declined requires_payment_method visa •••• 0002 generic_decline',
    'The buyer confirmed processing visa •••• 0077',
    'The bank authorized succeeded visa •••• 0077',
  ])
  // Both lists have the same columns.
  const lefts = await page
    .locator('.lines .badge')
    .evaluateAll((badges) => [...new Set(badges.map((each) => each.getBoundingClientRect().left))])
  expect(lefts).toHaveLength(1)
})

test('finds an order among 1,000 without a click', async ({ page, merchant }) => {
  await createIntent(merchant, { orderId: 'SOUGHT-1' })
  for (let batch = 0; batch < 20; batch++) {
    await Promise.all(Array.from({ length: 50 }, async () => await createIntent(merchant)))
  }
  await merchant.open()
  await expect(page.locator('.list a')).toHaveCount(100)
  await page.keyboard.press('/')
  await page.keyboard.type('SOUGHT-1')
  await expect(page.locator('.list a')).toHaveText([/SOUGHT-1.*requires_payment_method/s])
  await page.keyboard.press('Control+A')
  await page.keyboard.type('NOTHING')
  await expect(page.getByRole('heading', { name: 'No matching intents' })).toBeVisible()
  await page.getByRole('button', { name: 'Show all' }).click()
  await expect(page.locator('.list a')).toHaveCount(100)
})

test('moves the focus by arrows, and Esc returns to the line', async ({ page, merchant }) => {
  for (const orderId of ['K-1', 'K-2', 'K-3']) await createIntent(merchant, { orderId })
  await merchant.open()
  await expect(rowOf(page, 'K-3')).toBeVisible()
  for (const [key, orderId] of [
    ['ArrowDown', 'K-3'],
    ['ArrowDown', 'K-2'],
    ['ArrowDown', 'K-1'],
    ['ArrowUp', 'K-2'],
  ] as const) {
    await page.keyboard.press(key)
    await expect(rowOf(page, orderId)).toBeFocused()
  }
  // The focus stays when a newer one arrives.
  await createIntent(merchant, { orderId: 'K-4' })
  await expect(rowOf(page, 'K-4')).toBeVisible()
  await page.keyboard.press('Enter')
  await expect(page.getByRole('heading', { name: 'K-2' })).toBeVisible()
  // Digits are no shortcuts.
  await page.keyboard.press('2')
  await page.keyboard.press('Escape')
  await expect(rowOf(page, 'K-2')).toBeFocused()
  await goTo(page, 'Requests')
  await page.keyboard.press('ArrowDown')
  await expect(rowOf(page, 'K-4')).toBeFocused()
})

test('scrolls to the line that was open', async ({ page, merchant }) => {
  for (let number = 0; number < 30; number++) await createIntent(merchant)
  await createIntent(merchant, { orderId: 'LATER-1' })
  await merchant.open()
  await expect(page.locator('.list a')).toHaveCount(31)
  await page.locator('.list a').last().click()
  await expect(page.locator('.detail header')).toBeInViewport()
  await page.getByRole('main').getByRole('link', { name: 'Intents' }).click()
  await expect(page.locator('.list a').last()).toBeInViewport()
})

test('the token is in no address and no lasting store, and another tab gets it, but no other origin', async ({
  page,
  merchant,
  context,
}) => {
  const { id } = await createIntent(merchant, { orderId: 'TAB-1' })
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
  await expectConnection(page)
  // As the shop's link to the inspector opens it.
  const other = await context.newPage()
  await other.goto(`${baseUrl}/_sandbox/#/intents/${id}`)
  await expect(other.getByRole('heading', { name: 'TAB-1' })).toBeVisible()
  expect(await other.evaluate(seen)).not.toContain(adminToken)
  const site = await startSite((_, response) => response.end('a site'), { name: 'localhost' })
  const foreign = await context.newPage()
  for (const url of [site.origin, `http://localhost:${new URL(baseUrl).port}/docs`]) {
    await foreign.goto(url)
    const ask = `new Promise((resolve) => {
      const channel = new BroadcastChannel('pi-inspector')
      channel.onmessage = ({ data }) => resolve(data)
      channel.postMessage('?')
      setTimeout(() => resolve('nothing'), 500)
    })`
    expect([url, await foreign.evaluate(ask)]).toEqual([url, 'nothing'])
  }
  await site.close()
  await page.close()
  await other.reload()
  await expect(other.getByRole('heading', { name: 'TAB-1' })).toBeVisible()
  await other.close()
  // With the last tab, it is gone. A tab that gets it unlocks those that have none.
  const [locked, unlocked] = [await context.newPage(), await context.newPage()]
  await locked.goto(`${baseUrl}/_sandbox/`)
  await expect(locked.getByText('Open the inspector by its link')).toBeVisible()
  await unlocked.goto(`${baseUrl}/_sandbox/#${adminToken}`)
  await expectConnection(locked)
})

test('rejects the token of another start, takes the link of this one, and waits for a service that is down', async ({
  page,
  merchant,
  pageErrors,
}) => {
  pageErrors.allow(/Failed to load resource/)
  const { ready: api, child, stop } = await startService(['--memory'])
  await page.goto(`${api.baseUrl}/_sandbox/#${merchant.api.adminToken}`)
  const gate = page.getByRole('alert')
  await expect(gate).toContainText('Each start of the service creates a new one')
  await page.goto(api.inspectorUrl)
  await expectConnection(page)
  const { id } = await createIntent({ api })
  // Into the address of the open page: no more than its fragment changes.
  await page.goto(`${api.inspectorUrl}/intents/${id}`)
  await expect(page.getByRole('heading', { name: 'A-1' })).toBeVisible()
  expect(new URL(page.url()).hash).toMatch(new RegExp(`^#/env_\\w+/intents/${id}$`))
  await page.goBack()
  expect(page.url()).not.toContain(api.adminToken)

  child.kill('SIGSTOP')
  await page.getByRole('link', { name: 'Faults' }).click()
  await expect(page.getByText('Reconnecting…')).toBeVisible()
  await expect(page.getByText('The service does not respond.')).toBeVisible()
  child.kill('SIGCONT')
  await expectConnection(page)
  await expect(page.getByText('No fault rules: responses are not modified.')).toBeVisible()
  await page.close()
  await stop()
})

test('keeps two merchants apart, also after a reload', async ({ page, merchant, stack }) => {
  const { id } = await createIntent(stack, { orderId: 'FIRST-1' })
  await createIntent(merchant, { orderId: 'SECOND-1' })
  await page.goto(stack.api.inspectorUrl)
  await expect(rowOf(page, 'FIRST-1')).toBeVisible()
  await page.getByLabel('Merchant').selectOption(merchant.name)
  for (let load = 0; load < 2; load++) {
    await expect(rowOf(page, 'SECOND-1')).toBeVisible()
    await expect(page.getByText('FIRST-1')).toHaveCount(0)
    await page.reload()
  }
  // A link to the other merchant's intent leads to both.
  await page.goto(`${stack.api.baseUrl}/_sandbox/#/intents/${id}`)
  await expect(page.getByRole('heading', { name: 'FIRST-1' })).toBeVisible()
  await expect(page.getByLabel('Merchant').locator('option:checked')).toHaveText('Tsiran')
})

test('says that an intent does not exist', async ({ page, merchant, pageErrors }) => {
  pageErrors.allow(/Failed to load resource/)
  await createIntent(merchant, { orderId: 'HERE-1' })
  await merchant.open(`intents/pi_${'a'.repeat(24)}`)
  await expect(page.getByRole('heading', { name: 'No test intent has this id' })).toBeVisible()
  await page.getByRole('main').getByRole('link', { name: 'Intents' }).click()
  await expect(rowOf(page, 'HERE-1')).toBeVisible()
})

test('renders merchant data as text, and shows no secret', async ({ page, merchant }) => {
  const markup = '<img src=x onerror=alert(1)>'
  const { baseUrl, apiKey } = merchant.api
  const { id } = await createIntent(merchant, {
    orderId: '<script>alert(1)</script>',
    customer: { id: markup, name: `"'>${markup}` },
    metadata: { [markup]: `</pre>${markup}` },
  })
  await merchant.open()
  await expect(rowOf(page, '<script>alert(1)</script>')).toBeVisible()
  await expect(page.getByText(`"'>${markup}`)).toBeVisible()
  await create(merchant, {}, { 'idempotency-key': apiKey })
  await fetch(`${baseUrl}/payment-intents/${id}?api_key=${apiKey}`)
  for (const section of sections) {
    await goTo(page, section)
    await expect(page.locator('main img, main script')).toHaveCount(0)
    const shown = await page.content()
    for (const secret of [apiKey, '_secret_']) {
      expect([section, shown.includes(secret)]).toEqual([section, false])
    }
  }
})

test('creates a key without a terminal', async ({ page, merchant }) => {
  await merchant.open('settings')
  await page.getByRole('button', { name: 'Create a key' }).click()
  const apiKey = (await page.locator('.box pre').textContent()) ?? ''
  expect((await create({ api: { ...merchant.api, apiKey } })).status).toBe(201)
  // Shown once.
  await goTo(page, 'Faults')
  await goTo(page, 'Settings')
  expect(await page.content()).not.toContain(apiKey)
})

test('moves the clock, registers an exact origin, and resets', async ({
  page,
  merchant,
  pageErrors,
}) => {
  pageErrors.allow(/Failed to load resource/)
  await createIntent(merchant, { orderId: 'D-1' })
  await merchant.open('settings')
  await page.getByRole('button', { name: '+10 min' }).click()
  await expect(page.getByText('real time:')).toBeVisible()
  await page.getByRole('button', { name: '+24 h' }).click()
  await goTo(page, 'Intents')
  await expect(rowOf(page, 'D-1')).toContainText('expired')
  await goTo(page, 'Settings')
  await page.getByRole('button', { name: 'Real time' }).click()
  await expect(page.getByText('real time', { exact: true })).toBeVisible()
  await page.getByLabel('Origin').fill('http://shop.example.com')
  await page.getByRole('button', { name: 'Register' }).click()
  await expect(page.getByRole('alert')).toContainText('must be an exact origin')
  await page.getByLabel('Origin').fill('https://shop.example.com')
  await page.getByRole('button', { name: 'Register' }).click()
  await page.getByRole('button', { name: 'Remove https://shop.example.com' }).click()
  await expect(page.locator('code', { hasText: 'shop.example.com' })).toHaveCount(0)
  const button = page.getByRole('button', { name: 'Reset…' })
  // Dismissed, it does nothing.
  page.once('dialog', (question) => void question.dismiss())
  await button.click()
  page.once('dialog', (question) => void question.accept())
  await button.click()
  await expect(page.getByRole('heading', { name: 'No Payment Intent yet' })).toBeVisible()
})

for (const [colorScheme, width] of [
  ['light', 1280],
  ['dark', 320],
] as const) {
  test(`fits ${width} pixels and 200 % text without axe violations, in ${colorScheme} colors`, async ({
    page,
    merchant,
  }) => {
    await page.setViewportSize({ width, height: 844 })
    await page.emulateMedia({ colorScheme })
    await merchant.open()
    expect(await violationsIn(page)).toEqual([])
    await createIntent(merchant, { orderId: 'W'.repeat(32) })
    await create(merchant, { amount: 0 })
    await control(merchant, `${merchant.path}/faults`, { on: 'create', do: '500', times: 1 })
    const expectFit = async (view: string): Promise<void> => {
      for (const size of ['', '200%']) {
        await page.evaluate(`document.documentElement.style.fontSize = '${size}'`)
        const right = await page.evaluate('document.documentElement.scrollWidth')
        expect([view, size, right]).toEqual([view, size, width])
        expect([view, await violationsIn(page)]).toEqual([view, []])
      }
      await page.evaluate(`document.documentElement.style.fontSize = ''`)
    }
    for (const section of sections) {
      await goTo(page, section)
      await expectFit(section)
      const [item] = await page.locator('.list .line').all()
      if (!item) continue
      await item.press('Enter')
      await expect(page.locator('.detail header')).toBeInViewport()
      await expectFit(`one of ${section}`)
    }
  })
}

test('in forced colors, the tab and the filter can be seen', async ({ page, merchant }) => {
  await page.emulateMedia({ forcedColors: 'active' })
  await merchant.open('requests')
  const tab = page.locator('nav').getByRole('link')
  await expect(tab.filter({ hasText: 'Requests' })).toHaveCSS('border-bottom-style', 'solid')
  await expect(tab.filter({ hasText: 'Intents' })).toHaveCSS('border-bottom-style', 'none')
  const filter = page.locator('.filters').getByRole('button')
  await expect(filter.filter({ hasText: 'All' })).toHaveCSS('outline-style', 'solid')
  await expect(filter.filter({ hasText: 'Lint' })).toHaveCSS('outline-style', 'none')
})

const sections = ['Intents', 'Requests', 'Faults', 'Settings']

async function goTo(page: Page, section: string): Promise<void> {
  await page.locator('nav').getByRole('link', { name: section }).click()
  await expect(page.locator(`main[data-section="${section.toLowerCase()}"]`)).toBeVisible()
  await expect(page.getByText('Loading…')).toHaveCount(0)
}

function rowOf(page: Page, orderId: string): Locator {
  return page.locator('.list a', { hasText: orderId })
}

function openStatus(page: Page, status: string): Locator {
  return page.locator('.detail header .badge', { hasText: status })
}

async function expectConnection(page: Page): Promise<void> {
  await expect(page.getByText('Connected', { exact: true })).toBeVisible()
}
