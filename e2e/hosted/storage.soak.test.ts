import { installedChromium } from '@pi-checkout/test-support/browsers'
import { chromium } from '@playwright/test'
import { hostedPage, openCheckout, passChallenge, payWithChallenge } from '../fixtures/buyer.ts'
import { expect, test } from '../fixtures/cross-site-stack.ts'
import { expectResult } from '../fixtures/hosted-form.ts'

/** What a browser gives a page in a frame of another site, and how to launch such a browser. */
const storages = [
  // Playwright turns the partitions off, and the last list of features counts.
  ['separate for each shop', { full: false, args: ['--disable-features=Translate'] }],
  [
    'shared with its own site',
    { full: false, args: ['--disable-features=ThirdPartyStoragePartitioning'] },
  ],
  // A private window.
  ['denied', { full: true, args: [] }],
] as const

for (const [storage, { full, args }] of storages) {
  test(`stores nothing where storage is ${storage}: no cookie, entry, or history step`, async ({
    stack,
  }) => {
    const browser = await chromium.launch({
      ...(await installedChromium({ full })),
      args: [...args],
    })
    const context = await browser.newContext()
    const page = await context.newPage()
    // A top-level visit leaves a mark, which shows whether the iframe shares that storage.
    await page.goto(`${stack.checkoutOrigin}/checkout/pi_none`)
    await page.evaluate(`localStorage.setItem('mark', '')`)
    await page.goto(stack.shopUrl)
    await openCheckout(page)
    const entries = await page.evaluate(() => history.length)
    await payWithChallenge(page)
    // Otherwise the shop leaves its checkout page after the payment.
    await page.route('**/checkout/status*', (route) => route.fulfill({ status: 503 }))
    await passChallenge(page)
    await expectResult(page, 'paid')
    const cookies = await context.cookies(stack.checkoutOrigin)
    expect(cookies).toEqual([])
    expect(await hostedPage(page).locator('body').evaluate(kept)).toEqual(
      storage === 'denied'
        ? ['SecurityError', 'SecurityError', 'UnknownError', 'SecurityError']
        : [storage === 'shared with its own site' ? ['mark'] : [], [], [], []],
    )
    expect(await page.evaluate(() => history.length)).toBe(entries)
    await browser.close()
  })
}

/** Runs in the page: returns the keys of each storage, or the name of the error. */
const kept = `Promise.all(
  [
    () => Object.keys(localStorage),
    () => Object.keys(sessionStorage),
    async () => await indexedDB.databases(),
    async () => await caches.keys(),
  ].map(async (look) => {
    try {
      return await look()
    } catch ({ name }) {
      return name
    }
  }),
)`
