import type { Page } from '@playwright/test'
import { expect, test } from 'vitest'
import {
  eventsOf,
  observeShifts,
  shiftOf,
  startSites,
  waitForEvent,
  waitForState,
} from './support/sites.ts'

const sites = startSites()

function frameHeight(page: Page): Promise<number> {
  return page.locator('iframe').evaluate((frame) => frame.getBoundingClientRect().height)
}

test('loading, ready, growth within the reserved height, and a reload shift nothing', async () => {
  const page = await sites.openShop({
    hosted: { steps: [{ size: 400 }, 'ready', { wait: 100 }, { size: 532 }, 'busy'], delay: 700 },
    prepare: observeShifts,
  })
  await waitForState(page, 'busy')
  expect(await shiftOf(page)).toBe(0)
  expect(await frameHeight(page)).toBe(532)
  await page.frameLocator('iframe').getByTestId('reload').click()
  const handshake = ['loading', 'ready', 'busy'].map((state) => `pi-statechange ${state}`)
  const states = async (): Promise<string[]> =>
    (await eventsOf(page)).filter((event) => event.startsWith('pi-statechange'))
  await expect.poll(states, { timeout: 15_000 }).toEqual([...handshake, ...handshake])
  expect(await shiftOf(page)).toBe(0)
})

test.each(['origin_not_allowed', 'unauthorized', 'internal'])(
  'the error %s shifts nothing',
  async (code) => {
    const page = await sites.openShop({
      hosted: { steps: ['ready', { wait: 50 }, { fail: code }] },
      prepare: observeShifts,
    })
    await waitForEvent(page, code === 'internal' ? 'pi-ready' : `pi-error ${code}`)
    expect(await shiftOf(page)).toBe(0)
  },
)

test('does not shrink while the frame has focus', async () => {
  const page = await sites.openShop({ hosted: { steps: [{ size: 900 }, 'ready'] } })
  await waitForState(page, 'ready')
  await page.frameLocator('iframe').getByTestId('shrink').click()
  await page.waitForTimeout(400)
  expect(await frameHeight(page)).toBe(900)
  await page.getByRole('heading', { name: 'Shop' }).click()
  await expect.poll(() => frameHeight(page)).toBe(532)
})

test.each([
  {
    title: 'stops at the maximum height, and scrolls',
    style: '--pi-checkout-min-block-size: 300px; --pi-checkout-max-block-size: 800px',
    requested: 2000,
    height: 800,
  },
  { title: "ignores the host's display", style: 'display: inline', requested: 200, height: 532 },
])('the frame $title', async ({ style, requested, height }) => {
  const page = await sites.openShop({
    body: `<pi-checkout id="pay" style="${style}"></pi-checkout>`,
    hosted: { steps: [{ size: 200 }, 'ready', { size: requested }] },
  })
  await waitForState(page, 'ready')
  await expect.poll(() => frameHeight(page)).toBe(height)
})
