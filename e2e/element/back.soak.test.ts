import { cachingContext } from '../fixtures/base-test.ts'
import {
  eventsAfterTick,
  expect,
  readyEvents,
  test,
  waitForEvent,
} from '../fixtures/element-sites.ts'

test.use({ context: cachingContext })

const headers = { 'cache-control': 'no-cache' }

test('Back keeps a running frame, and replaces an unresponsive one', async ({ page, sites }) => {
  // The frame's own timer continues where it stopped: Playwright cannot reach into a restored frame.
  await sites.openShop({ headers, hosted: { steps: ['ready', 'wait-2000', 'finish'] } })
  await waitForEvent(page, 'pi-ready')
  await page.evaluate(
    "void addEventListener('pageshow', (event) => { window.restored = event.persisted })",
  )
  await page.goto(`${sites.shop.origin}/elsewhere`, { waitUntil: 'domcontentloaded' })
  await page.goBack({ waitUntil: 'commit' })
  await expect.poll(() => page.evaluate('window.restored')).toBe(true)
  await waitForEvent(page, 'pi-finish')
  expect(sites.requests.filter((path) => path === '/checkout/pi_1')).toHaveLength(2)

  await page.clock.install()
  await sites.openShop({ headers, hosted: { steps: ['ready', 'silence'] } })
  await waitForEvent(page, 'pi-ready')
  await page.goto(`${sites.shop.origin}/elsewhere`, { waitUntil: 'domcontentloaded' })
  sites.serveCheckout({})
  await page.goBack({ waitUntil: 'commit' })
  await expect.poll(() => eventsAfterTick(page)).toEqual([...readyEvents, ...readyEvents])
})
