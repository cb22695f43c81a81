import { setTimeout } from 'node:timers/promises'
import { readDocument } from '../../scripts/docs/documents.mjs'
import {
  expect,
  observeShifts,
  serveOrders,
  shiftOf,
  test,
  waitForEvent,
} from '../fixtures/element-sites.ts'

/** The HTML page of the README, with another checkout. */
function readPage(checkout: string): string {
  const page = readDocument('README.md').blocks.find(
    ({ language, code }) => language === 'html' && code.includes('pi-checkout.js'),
  )
  return String(page?.code)
    .replaceAll(/CHECKOUT|https:\/\/pay\.example/g, checkout)
    .replace('</pi-checkout>', '</pi-checkout><p>After the checkout</p>')
}

test('the page of the README shows what it needs if its script is blocked', async ({
  page,
  sites,
  pageErrors,
}) => {
  pageErrors.allow(/Failed to load resource/)
  await page.route('**/*.js', (route) => route.abort())
  await sites.openShop({ html: readPage(sites.checkout.origin) })
  await expect(page.getByText('It needs JavaScript')).toBeVisible()
  await expect(page.getByText('Thank you')).toBeHidden()
})

test('the page of the README shifts nothing while it loads', async ({ page, sites }) => {
  // A slow script, so that the page is painted before the definition.
  await page.route('**/v1/pi-checkout.js', async (route) => {
    await setTimeout(500)
    await route.continue()
  })
  await serveOrders(page, sites, {})
  await observeShifts(page)
  await sites.openShop({ html: readPage(sites.checkout.origin) })
  await waitForEvent(page, 'pi-ready')
  expect(await shiftOf(page)).toBe(0)
})
