import type { Page } from '@playwright/test'
import {
  actInFrame,
  configure,
  expect,
  type Order,
  serveOrders,
  test,
  textInFrame,
  waitForEvent,
  waitForState,
} from '../fixtures/element-sites.ts'

const element = (attributes: string, content = ''): string =>
  `<pi-checkout id="pay" ${attributes}>${content}</pi-checkout>`
const ofA = 'base-path="/checkout" order-id="A"'
const intent = async (page: Page): Promise<string | undefined> =>
  (await page.locator('#pay iframe').getAttribute('src'))?.split('/').at(-1)

/** Leads order A to a state. */
const stages: Record<string, (page: Page, orders: Record<string, Order>) => Promise<void>> = {
  loading: async () => {},
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

for (const [name, attributes, showA, showB, when] of [
  // Empty, it waits for the order.
  [
    'order-id',
    'base-path="/checkout" order-id',
    "pay.orderId = 'A'",
    "pay.setAttribute('order-id', 'B')",
    Object.keys(stages),
  ],
  ['base-path', '', "pay.basePath = '/checkout'", "pay.basePath = '/b'", ['ready']],
  ['fetchHandoff', '', setHandoff('A'), setHandoff('B'), ['busy', 'paid']],
] as const) {
  test(`another ${name} shows the other order, while ${when}`, async ({ page, sites }) => {
    const orders: Record<string, Order> = {}
    const requests = await serveOrders(page, sites, orders)
    await sites.openShop({ body: element(attributes, 'Waiting'), script: configure })
    await waitForState(page, 'idle')
    await expect(page.getByText('Waiting')).toBeVisible()
    for (const stage of when) {
      await test.step(stage, async () => {
        Object.assign(orders, { A: { phase: 'open' }, B: { phase: 'open' } })
        sites.serveCheckout(stage === 'loading' ? [] : ['ready'])
        await page.evaluate(showA)
        await expect.poll(() => intent(page)).toBe('pi_A')
        await expect(page.frameLocator('iframe').getByTestId('secret')).toHaveText('yes')
        await waitForState(page, stage === 'loading' ? stage : 'ready')
        await stages[stage]?.(page, orders)
        await waitForState(page, stage)
        await page.evaluate(showB)
        if (stage === 'busy') {
          // The payment of the old order ends first.
          await page.evaluate('new Promise((resolve) => setTimeout(resolve, 100))')
          expect(await intent(page)).toBe('pi_A')
          await actInFrame(page, 'finish')
        }
        await expect.poll(() => intent(page)).toBe('pi_B')
        if (stage === 'loading') await actInFrame(page, 'ready')
        await waitForState(page, 'ready')
        const text = page.locator('#pay [part=result]')
        await expect(text).toBeEmpty()
        const asked = requests.length
        orders.B = { phase: 'paid' }
        await actInFrame(page, 'finish')
        await waitForState(page, 'paid')
        expect(requests.slice(asked)).toEqual(['status B'])
        await expect(text).toHaveText('✓Payment received You can close this page.')
      })
    }
  })
}

test('a second tab that moves the session leaves this one its order', async ({ page, sites }) => {
  const orders: Record<string, Order> = { A: { phase: 'open' } }
  const requests = await serveOrders(page, sites, orders)
  await sites.openShop({ body: element('base-path="/checkout"'), script: configure })
  await waitForState(page, 'ready')
  orders.A = { phase: 'paid' }
  await actInFrame(page, 'finish')
  await waitForState(page, 'paid')
  expect(requests).toEqual(['handoff A', 'status A'])
})

test('an ended session ends the wait for the status', async ({ page, sites, pageErrors }) => {
  pageErrors.allow(/Failed to load resource/)
  const orders: Record<string, Order> = { A: { phase: 'open' } }
  const requests = await serveOrders(page, sites, orders)
  const separate = '<form slot="page"><button>Pay on a separate page</button></form>'
  await sites.openShop({ body: element(ofA, separate), script: configure })
  await waitForState(page, 'ready')
  orders.A = { phase: 'paid', response: { status: 401 } }
  await actInFrame(page, 'finish')
  await waitForEvent(page, 'pi-error status_failed')
  await expect(page.locator('#pay')).toContainText('Your session has expired')
  // Nothing waits for the shop any more.
  expect(await textInFrame(page, 'shop')).toBe('')
  // No second payment is offered.
  await expect(page.getByText('Pay on a separate page')).toBeHidden()
  await expect(page.frameLocator('iframe').getByRole('heading')).toBeVisible()
  expect(requests).toHaveLength(2)
  orders.A = { phase: 'paid' }
  // The shop can ask the buyer to sign in.
  await page.getByRole('button', { name: 'Reload page' }).click()
  await waitForState(page, 'paid')
})

test('silence shows a text after four seconds, a button after eight', async ({ page, sites }) => {
  await page.clock.install()
  for (const silent of ['shop', 'checkout'] as const) {
    await test.step(silent, async () => {
      const orders: Record<string, Order> = { A: { phase: 'open' } }
      if (silent === 'shop') orders.A = { phase: 'open', response: 'silence' }
      await serveOrders(page, sites, orders)
      const hosted = silent === 'shop' ? (['ready'] as const) : () => null
      await sites.openShop({ body: element(ofA), script: configure, hosted })
      await waitForState(page, 'loading')
      await page.clock.fastForward(2000)
      await expect(page.locator('#pay .message')).toHaveCount(0)
      await page.clock.fastForward(2000)
      await expect(page.locator('#pay .message')).toContainText('This is taking longer than usual.')
      await expect(page.getByRole('button')).toHaveCount(0)
      await page.clock.fastForward(4000)
      orders.A = { phase: 'open' }
      sites.serveCheckout(['ready'])
      await page.getByRole('button', { name: 'Try again' }).click()
      await waitForState(page, 'ready')
    })
  }
})
