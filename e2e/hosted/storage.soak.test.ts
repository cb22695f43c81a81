import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { installedChromium } from '@pi-checkout/test-support/browsers'
import { type BrowserContext, chromium } from '@playwright/test'
import { hostedPage, openCheckout, passChallenge, payWithChallenge } from '../fixtures/buyer.ts'
import { expect, test } from '../fixtures/cross-site-stack.ts'
import { expectResult } from '../fixtures/hosted-form.ts'

const full = await installedChromium({ full: true })

/** What a browser gives a page in a frame of another site, and how to have such a browser. */
const storages = [
  // Playwright turns the partitions off, and the last list of features counts.
  ['separate for each shop', { persistent: true, off: 'Translate' }],
  ['shared with its own site', { persistent: true, off: 'ThirdPartyStoragePartitioning' }],
  // A private window.
  ['denied', { persistent: false, off: '' }],
] as const

for (const [storage, { persistent, off }] of storages) {
  test(`stores nothing where storage is ${storage}: no cookie, entry, or history step`, async ({
    stack,
  }, { outputDir }) => {
    const browser = persistent ? undefined : await chromium.launch(full)
    const context = (await browser?.newContext()) ?? (await keepingContext(outputDir, off))
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
    await context.close()
    await browser?.close()
  })
}

/** A profile that lets frames of other sites store things: private windows, and Debian's default, do not. */
async function keepingContext(folder: string, off: string): Promise<BrowserContext> {
  const home = join(folder, 'profile')
  mkdirSync(join(home, 'Default'), { recursive: true })
  const preferences = { profile: { cookie_controls_mode: 0, block_third_party_cookies: false } }
  writeFileSync(join(home, 'Default/Preferences'), JSON.stringify(preferences))
  const args = [`--disable-features=${off}`]
  return chromium.launchPersistentContext(home, { ...full, args })
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
