import type { Page } from '@playwright/test'
import {
  actInFrame,
  configure,
  expect,
  mountDirectly,
  type Order,
  type Sites,
  serveOrders,
  test,
  textInFrame,
  waitForEvent,
  waitForState,
} from '../fixtures/element-sites.ts'
import { violationsIn } from '../fixtures/hosted-form.ts'

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

test('has no axe violations in any state, and is a named group', async ({ page, sites }) => {
  await sites.openShop({ hosted: [], script: configure })
  await waitForState(page, 'idle')
  expect(await violations(page)).toEqual([])
  await page.evaluate("void (pay.handoff = { id: 'pi_1', clientSecret: 'x' })")
  await expect(page.frameLocator('iframe').getByTestId('secret')).toHaveText('yes')
  await waitForState(page, 'loading')
  expect(await violations(page)).toEqual([])
  const devtools = await page.context().newCDPSession(page)
  const group = async () => {
    const { nodes } = await devtools.send('Accessibility.getFullAXTree')
    const found = nodes.find(({ role }) => role?.value === 'group')
    return [found?.name?.value, ...(found?.properties?.map(({ name }) => name) ?? [])]
  }
  // The browser updates the tree later.
  await expect.poll(group).toEqual(expect.arrayContaining(['Payment form', 'busy']))
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

test('takes no focus while it is loading', async ({ page, sites }) => {
  await sites.openShop({
    body: twoFields,
    hosted: [],
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
  await sites.openShop()
  await waitForState(page, 'ready')
  await focusForm(page)
  sites.serveCheckout(['fail-internal'])
  await actInFrame(page, 'fail-internal')
  await waitForEvent(page, 'pi-error internal')
  await expect.poll(() => focusedInside(page)).toBe('Try again')
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

async function openOrder(
  page: Page,
  sites: Sites,
): Promise<{ readonly orders: { A: Order }; readonly requests: readonly string[] }> {
  const orders = { A: { phase: 'open' } }
  const requests = await serveOrders(page, sites, orders)
  await sites.openShop({
    body: '<input id="mail" aria-label="Mail"><pi-checkout id="pay" base-path="/checkout"></pi-checkout>',
    script: configure,
    // As high as the hosted page.
    hosted: ['ready', 'size-532'],
  })
  await waitForState(page, 'ready')
  await page.evaluate(recordAnnouncements)
  return { orders, requests }
}

const announced = (page: Page): Promise<string[]> => page.evaluate('announced')

const received = 'Payment received You can close this page.'

test('each result is heard once, and takes the focus of the form only', async ({ page, sites }) => {
  for (const [phase, text, inForm = false] of [
    ['processing', 'Payment is still processing Do not pay again. You can close this page.'],
    ['paid', received],
    ['paid', received, true],
    [
      'review',
      'Payment received The shop is checking your order. Do not pay again. You can close this page.',
    ],
    ['failed', 'Payment failed You were not charged.'],
  ] as const) {
    await test.step(phase, async () => {
      const { orders } = await openOrder(page, sites)
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
})

test('a buyer in the form hears of a long wait', async ({ page, sites, pageErrors }) => {
  pageErrors.allow(/status of 503/)
  const { orders } = await openOrder(page, sites)
  await focusForm(page)
  await page.clock.install()
  const after = await page.locator('#after').boundingBox()
  orders.A = { phase: 'paid', response: { status: 503 } }
  await actInFrame(page, 'finish')
  await waitForState(page, 'confirming')
  await page.clock.fastForward(4000)
  // The form says what happened to the money, and that the shop has not confirmed it.
  await expect.poll(() => textInFrame(page, 'shop')).toBe('late')
  expect(await announced(page)).toEqual([])
  expect(await focusedInside(page)).toBe('IFRAME')
  expect(await page.locator('#after').boundingBox()).toEqual(after)
  orders.A = { phase: 'paid' }
  await page.clock.fastForward(5000)
  await waitForState(page, 'paid')
})

test('a buyer who tries again after a cancellation keeps the focus', async ({ page, sites }) => {
  const { orders, requests } = await openOrder(page, sites)
  await focusForm(page)
  orders.A = { phase: 'failed', reason: 'canceled' }
  await actInFrame(page, 'cancel')
  await waitForState(page, 'failed')
  await expect(page.locator('#pay [part=result]')).toContainText(
    'Payment canceled You were not charged.',
  )
  await page.keyboard.press('Tab')
  expect(await focusedInside(page)).toBe('Try again')
  orders.A = { phase: 'open' }
  await page.keyboard.press('Enter')
  await waitForState(page, 'ready')
  await expect.poll(() => focusedInside(page)).toBe('IFRAME')
  expect(requests).toEqual(['handoff A', 'status A', 'handoff A'])
})
