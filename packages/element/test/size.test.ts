import type { Page } from '@playwright/test'
import { expect, test } from 'vitest'
import { eventsOf, expectEvent, expectState, prepareTestSites } from './browser/test-sites.ts'

const sites = prepareTestSites()

/** The sum of all layout shifts of the page, since its start. */
async function watchShifts(page: Page): Promise<unknown> {
  return page.addInitScript(() => {
    Object.assign(window, { shift: 0 })
    new PerformanceObserver((list) => {
      for (const entry of list.getEntries()) {
        Object.assign(window, { shift: Reflect.get(window, 'shift') + Reflect.get(entry, 'value') })
      }
    }).observe({ type: 'layout-shift', buffered: true })
  })
}

async function shiftOf(page: Page): Promise<unknown> {
  await page.waitForTimeout(200)
  return page.evaluate(() => Reflect.get(window, 'shift'))
}

function frameHeight(page: Page): Promise<number | undefined> {
  return page.locator('iframe').evaluate((frame) => frame.getBoundingClientRect().height)
}

test('loading, ready, growth within the reserved height and a reload shift nothing', async () => {
  const page = await sites.openShop({
    hosted: { steps: [{ size: 400 }, 'ready', { wait: 100 }, { size: 600 }, 'busy'], delay: 700 },
    prepare: watchShifts,
  })
  await expectState(page, 'busy')
  expect(await shiftOf(page)).toBe(0)
  expect(await frameHeight(page)).toBe(600)
  await page.frameLocator('iframe').getByTestId('reload').click()
  const handshake = ['loading', 'ready', 'busy'].map((state) => `pi-statechange ${state}`)
  const states = async (): Promise<string[]> =>
    (await eventsOf(page)).filter((line) => line.startsWith('pi-statechange'))
  await expect.poll(states, { timeout: 15_000 }).toEqual([...handshake, ...handshake])
  expect(await shiftOf(page)).toBe(0)
})

test.each(['origin_not_allowed', 'unauthorized', 'internal'])(
  'the error %s shifts nothing',
  async (code) => {
    const page = await sites.openShop({
      hosted: { steps: ['ready', { wait: 50 }, { fail: code }] },
      prepare: watchShifts,
    })
    if (code === 'internal') await expectEvent(page, 'pi-ready')
    else await expectEvent(page, `pi-error ${code}`)
    expect(await shiftOf(page)).toBe(0)
  },
)

test('the frame grows at once and shrinks late', async () => {
  const page = await sites.openShop({ hosted: { steps: ['ready', { size: 900 }] } })
  await expectState(page, 'ready')
  await expect.poll(() => frameHeight(page)).toBe(900)
  await page.frames()[1]?.evaluate('size(700)')
  await expect.poll(() => frameHeight(page)).toBe(700)
})

test('the frame never shrinks under focus, and does once focus left it', async () => {
  const page = await sites.openShop({ hosted: { steps: [{ size: 900 }, 'ready'] } })
  await expectState(page, 'ready')
  const hosted = page.frameLocator('iframe')
  await hosted.getByTestId('shrink').click()
  await page.waitForTimeout(400)
  expect(await frameHeight(page)).toBe(900)
  await page.getByRole('heading', { name: 'Shop' }).click()
  await expect.poll(() => frameHeight(page)).toBe(600)
})

test('a growth loop stops after twelve growths within a second', async () => {
  const steps = Array.from({ length: 30 }, (_, index) => ({ size: 610 + index * 10 }))
  const page = await sites.openShop({ hosted: { steps: [...steps, 'ready'] } })
  await expectState(page, 'ready')
  expect(await frameHeight(page)).toBe(610 + 11 * 10)
})

test('reserved height and upper bound are CSS, and past the bound the frame scrolls', async () => {
  const page = await sites.openShop({
    body: `<pi-checkout id="pay" style="--pi-checkout-min-block-size: 300px; --pi-checkout-max-block-size: 800px"></pi-checkout>`,
    hosted: { steps: [{ size: 200 }, 'ready', { size: 2000 }] },
  })
  await expectState(page, 'ready')
  await expect.poll(() => frameHeight(page)).toBe(800)
})

test("the layout does not depend on the host's display", async () => {
  const page = await sites.openShop({
    body: `<pi-checkout id="pay" style="display: inline"></pi-checkout>`,
  })
  await expectState(page, 'ready')
  expect(await frameHeight(page)).toBe(600)
})
