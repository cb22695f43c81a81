import type { Page } from '@playwright/test'
import {
  actInFrame,
  configure,
  eventsOf,
  expect,
  test,
  waitForEvent,
  waitForState,
} from '../fixtures/element-sites.ts'
import { type Order, serveOrders } from '../fixtures/order-routes.ts'

const element = (attributes: string, content = ''): string =>
  `<pi-checkout id="pay" ${attributes}>${content}</pi-checkout>`
const ofA = 'base-path="/checkout" order-id="A"'
const text = (page: Page) => page.locator('#pay [part=result]')
const intent = async (page: Page): Promise<string | undefined> =>
  (await page.locator('#pay iframe').getAttribute('src'))?.split('/').at(-1)

/** Leads order A to a state. */
const stages: Record<string, (page: Page, orders: Record<string, Order>) => Promise<void>> = {
  ready: async () => {},
  busy: (page) => actInFrame(page, 'busy'),
  processing: async (page, orders) => {
    orders.A = { phase: 'processing' }
    await actInFrame(page, 'finish')
  },
  paid: async (page, orders) => {
    orders.A = { phase: 'paid' }
    await actInFrame(page, 'finish')
  },
  error: (page) => actInFrame(page, 'fail-origin_not_allowed'),
}

const setHandoff = (id: string): string =>
  `pay.fetchHandoff = async () => ({ id: 'pi_${id}', clientSecret: 'x' });
   pay.fetchStatus = async () => ({ phase: (await (await fetch('/checkout/status?orderId=${id}')).json()).phase })`

for (const [name, attributes, before, change, when] of [
  ['order-id', ofA, '', "pay.setAttribute('order-id', 'B')", ['loading', ...Object.keys(stages)]],
  ['base-path', 'base-path="/checkout"', '', "pay.basePath = '/b'", ['ready']],
  ['fetchHandoff', '', setHandoff('A'), setHandoff('B'), ['busy', 'paid']],
] as const) {
  for (const stage of when) {
    test(`another ${name} while ${stage} shows the other order`, async ({ page, sites }) => {
      const orders: Record<string, Order> = { A: { phase: 'open' }, B: { phase: 'open' } }
      const requests = await serveOrders(page, sites, orders)
      await sites.openShop({
        body: element(attributes),
        script: `${configure}; ${before}`,
        hosted: stage === 'loading' ? { steps: [] } : {},
      })
      await expect(page.frameLocator('iframe').getByTestId('secret')).toHaveText('yes')
      await waitForState(page, stage === 'loading' ? stage : 'ready')
      await stages[stage]?.(page, orders)
      await waitForState(page, stage)
      await page.evaluate(change)
      if (stage === 'busy') {
        // The payment of the old order ends first.
        await page.evaluate('new Promise((resolve) => setTimeout(resolve, 100))')
        expect(await intent(page)).toBe('pi_A')
        await actInFrame(page, 'finish')
      }
      await expect.poll(() => intent(page)).toBe('pi_B')
      if (stage === 'loading') await actInFrame(page, 'ready')
      await waitForState(page, 'ready')
      await expect(text(page)).toBeEmpty()
      const asked = requests.length
      orders.B = { phase: 'paid' }
      await actInFrame(page, 'finish')
      await waitForState(page, 'paid')
      expect(requests.slice(asked)).toEqual(['status B'])
      await expect(text(page)).toHaveText('We have received your payment. Thank you.')
    })
  }
}

test('an empty order-id waits for the order', async ({ page, sites }) => {
  await serveOrders(page, sites, {})
  await sites.openShop({
    body: element('base-path="/checkout" order-id', 'Waiting'),
    script: configure,
  })
  await waitForState(page, 'idle')
  await expect(page.getByText('Waiting')).toBeVisible()
  await page.evaluate("pay.orderId = 'B'")
  await waitForState(page, 'ready')
  expect(await intent(page)).toBe('pi_B')
})

test('a second tab that moves the session leaves the order of this one', async ({
  page,
  sites,
}) => {
  const orders: Record<string, Order> = { A: { phase: 'open' } }
  const requests = await serveOrders(page, sites, orders)
  await sites.openShop({ body: element('base-path="/checkout"'), script: configure })
  await waitForState(page, 'ready')
  orders.A = { phase: 'paid' }
  await actInFrame(page, 'finish')
  await waitForState(page, 'paid')
  expect(requests).toEqual(['handoff A', 'status A'])
})

for (const [phase, expected] of [
  ['paid', 'We have received your payment. Thank you.'],
  ['processing', 'Your bank is processing the payment. You can close this page. Do not pay again.'],
] as const) {
  test(`a page that is reloaded after the payment shows only that it is ${phase}`, async ({
    page,
    sites,
    pageErrors,
  }) => {
    pageErrors.allow(/status of 409/)
    await serveOrders(page, sites, { A: { phase } })
    await sites.openShop({ body: element(ofA), script: configure })
    await waitForEvent(page, `pi-phase ${phase}`)
    await expect(page.locator('#pay')).toHaveText(expected)
    expect(await eventsOf(page)).toEqual([
      'pi-statechange loading',
      'pi-statechange confirming',
      `pi-statechange ${phase}`,
      `pi-phase ${phase}`,
    ])
  })
}

test('a failed payment names its reason, and Try again requests the next intent', async ({
  page,
  sites,
}) => {
  const orders: Record<string, Order> = { A: { phase: 'open' } }
  const requests = await serveOrders(page, sites, orders)
  await sites.openShop({ body: element(ofA), script: configure })
  await waitForState(page, 'ready')
  orders.A = { phase: 'failed', reason: 'canceled' }
  await actInFrame(page, 'cancel')
  await waitForState(page, 'failed')
  await expect(text(page)).toContainText('The payment was canceled. You were not charged.')
  orders.A = { phase: 'open' }
  await page.getByRole('button', { name: 'Try again' }).click()
  await waitForState(page, 'ready')
  expect(requests).toEqual(['handoff A', 'status A', 'handoff A'])
})

test("an ended session in the place of the status ends the wait, and keeps the form's result", async ({
  page,
  sites,
  pageErrors,
}) => {
  pageErrors.allow(/Failed to load resource/)
  const orders: Record<string, Order> = { A: { phase: 'open' } }
  const requests = await serveOrders(page, sites, orders)
  const separate = '<form slot="page"><button>Pay on a separate page</button></form>'
  await sites.openShop({ body: element(ofA, separate), script: configure })
  await waitForState(page, 'ready')
  orders.A = { phase: 'paid', response: { status: 401 } }
  await actInFrame(page, 'finish')
  await waitForEvent(page, 'pi-error status_failed')
  const unconfirmed = 'The shop has not confirmed your payment yet. Do not pay again.'
  await expect(page.locator('#pay')).toContainText(unconfirmed)
  // No second payment is offered.
  await expect(page.getByText('Pay on a separate page')).toBeHidden()
  await expect(page.frameLocator('iframe').getByRole('heading')).toBeVisible()
  expect(requests).toHaveLength(2)
  orders.A = { phase: 'paid' }
  await page.getByRole('button', { name: 'Check again' }).click()
  await waitForState(page, 'paid')
})

test('a status that fails for a moment is asked again', async ({ page, sites, pageErrors }) => {
  pageErrors.allow(/Failed to load resource/)
  const orders: Record<string, Order> = { A: { phase: 'open' } }
  await serveOrders(page, sites, orders)
  await sites.openShop({ body: element(ofA), script: configure })
  await waitForState(page, 'ready')
  await page.clock.install()
  orders.A = { phase: 'paid', response: { status: 503 } }
  await actInFrame(page, 'finish')
  await waitForState(page, 'confirming')
  await page.clock.fastForward(4000)
  await expect(page.getByText('We are confirming your payment. You can close')).toBeVisible()
  orders.A = { phase: 'paid' }
  await page.clock.fastForward(5000)
  await waitForState(page, 'paid')
})

for (const silent of ['shop', 'checkout'] as const) {
  test(`a silent ${silent} shows a text after four seconds, and a button after eight`, async ({
    page,
    sites,
  }) => {
    await page.clock.install()
    const orders: Record<string, Order> = { A: { phase: 'open' } }
    if (silent === 'shop') orders.A = { phase: 'open', response: 'silence' }
    await serveOrders(page, sites, orders)
    const hosted = silent === 'shop' ? {} : () => null
    await sites.openShop({ body: element(ofA), script: configure, hosted })
    await waitForState(page, 'loading')
    await page.clock.fastForward(2000)
    await expect(page.locator('#pay .message')).toHaveCount(0)
    await page.clock.fastForward(2000)
    await expect(page.locator('#pay .message')).toContainText('Still loading')
    await expect(page.getByRole('button')).toHaveCount(0)
    await page.clock.fastForward(4000)
    orders.A = { phase: 'open' }
    sites.serveCheckout({})
    await page.getByRole('button', { name: 'Try again' }).click()
    await waitForState(page, 'ready')
  })
}
