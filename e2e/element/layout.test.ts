import { fakeHostedPage, payWith } from '@pi-checkout/element/testing'
import type { Page } from '@playwright/test'
import {
  actInFrame,
  configure,
  eventsOf,
  expect,
  observeShifts,
  serveOrders,
  shiftOf,
  test,
  waitForEvent,
  waitForState,
} from '../fixtures/element-sites.ts'

async function expectHeight(page: Page, height: number): Promise<void> {
  await expect
    .poll(() => page.locator('iframe').evaluate((frame) => frame.getBoundingClientRect().height))
    .toBe(height)
}

test('shows the places of the form in its colors, and shifts nothing', async ({ page, sites }) => {
  await page.emulateMedia({ colorScheme: null })
  await observeShifts(page)
  await sites.openShop({
    body: '<pi-checkout id="pay" style="color: rgb(42, 32, 25); color-scheme: dark"></pi-checkout>',
    hosted: [],
  })
  await waitForState(page, 'loading')
  const bones = page.locator('#pay i')
  const frame = page.locator('iframe')
  await expect(bones).toHaveCount(7)
  await expect(bones.first()).toHaveCSS('background-color', 'rgb(42, 32, 25)')
  await expect(frame).toHaveCSS('opacity', '0')
  const steps = ['size-400', 'ready', 'wait-100', 'size-532', 'busy'] as const
  for (const step of steps) await actInFrame(page, step)
  await waitForState(page, 'busy')
  await expect(bones).toHaveCount(0)
  await expect(frame).toHaveCSS('opacity', '1')
  expect(await shiftOf(page)).toBe(0)
  await expectHeight(page, 532)
  const isDark = 'matchMedia("(prefers-color-scheme: dark)").matches'
  expect(await page.frames()[1]?.evaluate(isDark)).toBe(true)

  sites.serveCheckout(steps)
  await page.frames()[1]?.evaluate('location.reload()')
  const handshake = ['loading', 'ready', 'busy'].map((state) => `pi-statechange ${state}`)
  const states = async (): Promise<string[]> =>
    (await eventsOf(page)).filter((event) => event.startsWith('pi-statechange'))
  await expect.poll(states).toEqual([...handshake, ...handshake])
  expect(await shiftOf(page)).toBe(0)
})

test('the slot for loading replaces the places of the form', async ({ page, sites }) => {
  await sites.openShop({
    body: '<pi-checkout id="pay"><p slot="loading">One moment</p></pi-checkout>',
    hosted: () => null,
  })
  await expect(page.getByText('One moment')).toBeVisible()
  await expect(page.locator('#pay i').first()).toBeHidden()
})

test('an error shifts nothing', async ({ page, sites }) => {
  await observeShifts(page)
  for (const code of ['origin_not_allowed', 'unauthorized', 'internal']) {
    await sites.openShop({ hosted: ['ready', 'wait-50', `fail-${code}`] })
    await waitForEvent(page, code === 'internal' ? 'pi-ready' : `pi-error ${code}`)
    expect(await shiftOf(page), code).toBe(0)
  }
})

test('the frame grows and shrinks with its page within its bounds, also while it has the focus', {
  tag: '@firefox',
}, async ({ page, sites }) => {
  await sites.openShop({ hosted: ['size-900', 'ready'] })
  await waitForState(page, 'ready')
  await expectHeight(page, 900)
  await page.frameLocator('iframe').getByLabel('Card number').click()
  await actInFrame(page, 'size-500')
  await expectHeight(page, 532)
  expect(await page.evaluate('document.activeElement.id')).toBe('pay')
  for (const [style, requested, height] of [
    ['min-block-size: 300px', 200, 300],
    // What the host is displayed as does not matter.
    ['display: inline', 200, 532],
  ] as const) {
    await sites.openShop({
      body: `<pi-checkout id="pay" style="${style}"></pi-checkout>`,
      hosted: ['size-200', 'ready', `size-${requested}`],
    })
    await waitForState(page, 'ready')
    await expectHeight(page, height)
  }
})

test("the form's result is whole above the element's button", async ({ page, sites }) => {
  // A shop that has lost the payment.
  await serveOrders(page, sites, { A: { phase: 'open' } })
  const { html } = fakeHostedPage()
  await sites.openShop({
    body: `<style>body { margin: 0 }</style>
      <pi-checkout id="pay" base-path="/checkout" order-id="A" locale="ru"></pi-checkout>`,
    script: configure,
    hosted: () => ({ body: html }),
  })
  await payWith(page, 'succeeded')
  await waitForState(page, 'error')
  await expect(page.frameLocator('iframe').getByText('Обратитесь в магазин')).toBeVisible()
  const hidden = 'document.documentElement.scrollHeight - innerHeight'
  for (const width of [320, 390, 1000]) {
    await page.setViewportSize({ width, height: 900 })
    await expect.poll(() => page.frames()[1]?.evaluate(hidden), String(width)).toBe(0)
    expect(await page.locator('#pay').evaluate((pay) => pay.clientHeight)).toBe(532)
  }
})
