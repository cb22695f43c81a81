import { readFileSync } from 'node:fs'
import { setTimeout } from 'node:timers/promises'
import { expect, observeShifts, shiftOf, test, waitForEvent } from '../fixtures/element-sites.ts'

/** HTML pages of the documents. */
const pages = ['README.md', 'packages/element/guides/frameworks.md'].flatMap((path) => {
  const text = readFileSync(new URL(`../../${path}`, import.meta.url), 'utf8')
  const blocks = [...text.matchAll(/```html\n([\s\S]*?)```/g)].map(([, html = '']) => html)
  return blocks.filter((html) => html.includes('<pi-checkout')).map((html) => ({ path, html }))
})
const checkoutPages = pages.filter(({ html }) => html.includes('pi-checkout.js'))

function readable(html: string, checkout: string): string {
  return html
    .replaceAll(/CHECKOUT|https:\/\/pay\.example/g, checkout)
    .replace('</pi-checkout>', '</pi-checkout><p>After the checkout</p>')
}

test('the root README has a whole page', () => {
  expect([pages.length, checkoutPages.length]).toEqual([1, 1])
})

for (const [at, { path, html }] of pages.entries()) {
  test(`page ${at + 1}, of ${path}, shows what it needs if its script is blocked`, async ({
    page,
    sites,
    pageErrors,
  }) => {
    pageErrors.allow(/Failed to load resource/)
    await page.route('**/*.js', (route) => route.abort())
    await sites.openShop({ html: readable(html, sites.checkout) })
    await expect(page.getByText('It needs JavaScript')).toBeVisible()
    await expect(page.getByText('Thank you')).toBeHidden()
  })
}

for (const { path, html } of checkoutPages) {
  test(`the page of ${path} shifts nothing while it loads`, async ({ page, sites }) => {
    // A slow script, so that the page is painted before the definition.
    await page.route('**/v1/pi-checkout.js', async (route) => {
      await setTimeout(500)
      await route.continue()
    })
    await observeShifts(page)
    await sites.openShop({ html: readable(html, sites.checkout) })
    await waitForEvent(page, 'pi-ready')
    expect(await shiftOf(page)).toBe(0)
  })
}
