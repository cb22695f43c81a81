import type { Page } from '@playwright/test'
import {
  actInFrame,
  configure,
  eventsAfterTick,
  expect,
  mountDirectly,
  type Sites,
  test,
  waitForState,
} from '../fixtures/element-sites.ts'
import { violationsIn } from '../fixtures/hosted-form.ts'
import { type Order, serveOrders } from '../fixtures/order-routes.ts'

const twoFields = `<input id="mail" aria-label="Mail"><pi-checkout id="pay"></pi-checkout><button id="next">Next</button>`

/** Returns the violations in the page and in its frame. */
async function violations(page: Page): Promise<readonly string[]> {
  return (await Promise.all(page.frames().map(violationsIn))).flat()
}

/** Returns the focused element inside the checkout's shadow root. */
function focusedInside(page: Page): Promise<string | undefined> {
  return page.evaluate(() => {
    const focused = document.activeElement?.shadowRoot?.activeElement
    return focused?.textContent || focused?.tagName
  })
}

async function focusForm(page: Page): Promise<void> {
  await page.frameLocator('iframe').getByLabel('Card number').focus()
  await expect.poll(() => focusedInside(page)).toBe('IFRAME')
}

test('has no axe violations while idle, loading, ready, busy, finished, or in an error', async ({
  page,
  sites,
}) => {
  await sites.openShop({ hosted: { steps: [] }, script: configure })
  await waitForState(page, 'idle')
  expect(await violations(page)).toEqual([])
  await page.evaluate("void (pay.handoff = { id: 'pi_1', clientSecret: 'x' })")
  await expect(page.frameLocator('iframe').getByTestId('secret')).toHaveText('yes')
  await waitForState(page, 'loading')
  expect(await violations(page)).toEqual([])
  for (const [act, state] of [
    ['ready', 'ready'],
    ['busy', 'busy'],
    ['finish', 'finished'],
  ] as const) {
    await actInFrame(page, act)
    await waitForState(page, state)
    expect(await violations(page)).toEqual([])
  }
  await actInFrame(page, 'fail-unauthorized')
  await waitForState(page, 'error')
  await expect(page.locator('iframe')).toHaveCount(0)
  expect(await violations(page)).toEqual([])
})

test('is a named group that reports when it is loading', async ({ page, sites }) => {
  await sites.openShop({ hosted: { steps: [] } })
  await waitForState(page, 'loading')
  const devtools = await page.context().newCDPSession(page)
  const { nodes } = await devtools.send('Accessibility.getFullAXTree')
  const group = nodes.find(({ role }) => role?.value === 'group')
  expect(group?.name?.value).toBe('Payment form')
  expect(group?.properties?.map(({ name }) => name)).toContain('busy')
  await expect(page.locator('#pay:state(ready)')).toHaveCount(0)
})

test('leaves the focus alone while loading, and the hidden frame out of the focus order', async ({
  page,
  sites,
}) => {
  await sites.openShop({
    body: twoFields,
    hosted: { steps: [] },
    script: `mail.focus(); ${mountDirectly}`,
  })
  const focused = (): Promise<unknown> => page.evaluate('document.activeElement.id')
  await waitForState(page, 'loading')
  await page.keyboard.press('Tab')
  expect(await focused()).toBe('next')
  await page.locator('#mail').focus()
  await actInFrame(page, 'ready')
  await waitForState(page, 'ready')
  expect(await focused()).toBe('mail')
  await page.keyboard.press('Tab')
  // The frame is another process, which has to receive the focus first.
  await expect.poll(focused).toBe('pay')
})

test('moves the focus of a lost frame to the retry button', async ({ page, sites }) => {
  await page.clock.install()
  await sites.openShop()
  await waitForState(page, 'ready')
  await focusForm(page)
  sites.serveCheckout({ steps: ['fail-internal'] })
  await actInFrame(page, 'fail-internal')
  await expect.poll(() => eventsAfterTick(page)).toContain('pi-error internal')
  await expect.poll(() => focusedInside(page)).toBe('Try again')
})

test.describe('on a page without a color scheme', () => {
  test.use({ colorScheme: null })

  test('passes a dark color-scheme on to the frame', async ({ page, sites }) => {
    await sites.openShop({
      body: '<pi-checkout id="pay" style="color-scheme: dark"></pi-checkout>',
    })
    await waitForState(page, 'ready')
    const isDark = 'matchMedia("(prefers-color-scheme: dark)").matches'
    expect(await page.frames()[1]?.evaluate(isDark)).toBe(true)
  })
})

/** Records each text that a live region of the element receives, as a screen reader announces it. */
const recordAnnouncements = `
  window.announced = []
  const texts = new Map()
  new MutationObserver(() => {
    for (const region of pay.shadowRoot.querySelectorAll('[role=status], [role=alert]')) {
      const text = region.innerText.trim().replaceAll(/\\s+/g, ' ')
      if (text && text !== texts.get(region) && region.ariaLive !== 'off') announced.push(text)
      texts.set(region, text)
    }
  }).observe(pay.shadowRoot, { subtree: true, childList: true, characterData: true })`

const thanks = 'We have received your payment. Thank you.'
const results = [
  ['processing', 'Your bank is processing the payment. You can close this page. Do not pay again.'],
  ['paid', thanks],
  ['paid', thanks, true],
  [
    'review',
    'We have received your payment. We are checking it. You can close this page. Do not pay again.',
  ],
  ['failed', 'The payment failed. You were not charged.'],
] as const

async function openOrder(page: Page, sites: Sites): Promise<{ A: Order }> {
  const orders = { A: { phase: 'open' } }
  await serveOrders(page, sites, orders)
  await sites.openShop({
    body: '<input id="mail" aria-label="Mail"><pi-checkout id="pay" base-path="/checkout"></pi-checkout>',
    script: configure,
    // As high as the hosted page.
    hosted: { steps: ['ready', { size: 532 }] },
  })
  await waitForState(page, 'ready')
  await page.evaluate(recordAnnouncements)
  return orders
}

const announced = (page: Page): Promise<string[]> => page.evaluate('announced')

for (const [phase, text, inForm = false] of results) {
  test(`the result ${phase} is heard once, ${inForm ? 'as the focus of the form moves to it' : 'and leaves the focus of another field'}`, async ({
    page,
    sites,
  }) => {
    const orders = await openOrder(page, sites)
    if (inForm) await focusForm(page)
    else await page.locator('#mail').focus()
    orders.A = { phase }
    await actInFrame(page, 'finish')
    await waitForState(page, phase)
    if (inForm) await expect.poll(() => focusedInside(page)).toContain(text)
    else await expect(page.locator('#mail')).toBeFocused()
    expect(await announced(page)).toEqual(inForm ? [] : [expect.stringContaining(text)])
    expect(await violations(page)).toEqual([])
  })
}

test('announces a long wait for the result to a buyer in the form, and moves nothing', async ({
  page,
  sites,
  pageErrors,
}) => {
  pageErrors.allow(/status of 503/)
  const orders = await openOrder(page, sites)
  await focusForm(page)
  const after = await page.locator('#after').boundingBox()
  orders.A = { phase: 'paid', response: { status: 503 } }
  await actInFrame(page, 'finish')
  await expect
    .poll(() => announced(page))
    .toEqual(['We are confirming your payment. You can close this page. Do not pay again.'])
  expect(await focusedInside(page)).toBe('IFRAME')
  expect(await page.locator('#after').boundingBox()).toEqual(after)
})

test('a buyer who tries again by keyboard keeps the focus', async ({ page, sites }) => {
  const orders = await openOrder(page, sites)
  await focusForm(page)
  orders.A = { phase: 'failed' }
  await actInFrame(page, 'finish')
  await waitForState(page, 'failed')
  await page.keyboard.press('Tab')
  expect(await focusedInside(page)).toBe('Try again')
  orders.A = { phase: 'open' }
  await page.keyboard.press('Enter')
  await waitForState(page, 'ready')
  await expect.poll(() => focusedInside(page)).toBe('IFRAME')
})
