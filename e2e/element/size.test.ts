import type { Page } from '@playwright/test'
import {
  actInFrame,
  eventsOf,
  expect,
  observeShifts,
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

test('loading, ready, growth within the reserved height, and a reload shift nothing', async ({
  page,
  sites,
}) => {
  await observeShifts(page)
  const steps = [{ size: 400 }, 'ready', { wait: 100 }, { size: 532 }, 'busy'] as const
  await sites.openShop({ hosted: { steps, delay: 700 } })
  await waitForState(page, 'busy')
  expect(await shiftOf(page)).toBe(0)
  await expectHeight(page, 532)
  await actInFrame(page, 'reload')
  const handshake = ['loading', 'ready', 'busy'].map((state) => `pi-statechange ${state}`)
  const states = async (): Promise<string[]> =>
    (await eventsOf(page)).filter((event) => event.startsWith('pi-statechange'))
  await expect.poll(states).toEqual([...handshake, ...handshake])
  expect(await shiftOf(page)).toBe(0)
})

test('an error shifts nothing', async ({ page, sites }) => {
  await observeShifts(page)
  for (const code of ['origin_not_allowed', 'unauthorized', 'internal']) {
    await sites.openShop({ hosted: { steps: ['ready', { wait: 50 }, `fail-${code}`] } })
    await waitForEvent(page, code === 'internal' ? 'pi-ready' : `pi-error ${code}`)
    expect(await shiftOf(page), code).toBe(0)
  }
})

test('grows and shrinks with its page, also while the frame has the focus', {
  tag: '@firefox',
}, async ({ page, sites }) => {
  await sites.openShop({ hosted: { steps: [{ size: 900 }, 'ready'] } })
  await waitForState(page, 'ready')
  await expectHeight(page, 900)
  await page.frameLocator('iframe').getByLabel('Card number').click()
  await actInFrame(page, 'shrink')
  await expectHeight(page, 532)
  expect(await page.evaluate('document.activeElement.id')).toBe('pay')
})

for (const { title, style, requested, height } of [
  {
    title: 'stops at the maximum height, and scrolls',
    style: '--pi-checkout-min-block-size: 300px; --pi-checkout-max-block-size: 800px',
    requested: 2000,
    height: 800,
  },
  { title: "ignores the host's display", style: 'display: inline', requested: 200, height: 532 },
]) {
  test(`the frame ${title}`, { tag: '@firefox' }, async ({ page, sites }) => {
    await sites.openShop({
      body: `<pi-checkout id="pay" style="${style}"></pi-checkout>`,
      hosted: { steps: [{ size: 200 }, 'ready', { size: requested }] },
    })
    await waitForState(page, 'ready')
    await expectHeight(page, height)
  })
}
