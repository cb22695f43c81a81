import { cachingContext } from '../fixtures/base-test.ts'
import { expect, test, waitForEvent } from '../fixtures/element-sites.ts'

test.use({ context: cachingContext })

test('Back keeps a running frame, with the back/forward cache', async ({ page, sites }) => {
  const headers = { 'cache-control': 'no-cache' }
  // The frame's own timer continues where it stopped: Playwright cannot reach into a restored frame.
  await sites.openShop({ headers, hosted: ['ready', 'wait-2000', 'finish'] })
  await waitForEvent(page, 'pi-ready')
  await page.evaluate(
    "void addEventListener('pageshow', (event) => { window.restored = event.persisted })",
  )
  await page.goto(`${sites.shop.origin}/elsewhere`, { waitUntil: 'domcontentloaded' })
  await page.goBack({ waitUntil: 'commit' })
  await expect.poll(() => page.evaluate('window.restored')).toBe(true)
  await waitForEvent(page, 'pi-finish')
  expect(sites.requests.filter((path) => path === '/checkout/pi_1')).toHaveLength(2)
})
