import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { installedChromium } from '@pi-checkout/test-support/browsers'
import { type Browser, chromium } from '@playwright/test'
import { expect, onTestFinished, test } from 'vitest'
import { expectResult, openShop, startBrowserStack } from './browser.ts'

// Chromium without windows has no settings for the storage of other sites.
const stack = await startBrowserStack()

/** What a browser gives a page in a frame of another site, and how to have such a browser. */
const storages = [
  // Playwright turns the partitions off, and the last list of features counts.
  ['separate for each shop', { persistent: true, off: 'Translate' }],
  ['shared with its own site', { persistent: true, off: 'ThirdPartyStoragePartitioning' }],
  // A private window.
  ['denied', { persistent: false, off: '' }],
] as const

test.each(storages)(
  'stores nothing where storage is %s: no cookie, entry, or history step (threat 67)',
  async (storage, { persistent, off }) => {
    const browser = persistent ? keepingBrowser(off) : stack.browser
    const window = await openShop(
      { ...stack, browser },
      {
        expected: [/status of 404/],
        prepare: async (page) => {
          // A top-level visit leaves a mark, which shows whether the iframe shares that storage.
          await page.goto(`${stack.checkout.url}/checkout/pi_none`)
          await page.evaluate(`localStorage.setItem('mark', '')`)
        },
      },
    )
    const { page, frame } = window
    const entries = await page.evaluate('history.length')
    await window.pay('4000000000003220')
    await window.submitCode('1234')
    await expectResult(window, 'paid')
    expect(await page.context().cookies()).toEqual([])
    expect(await frame.locator('body').evaluate(kept)).toEqual(
      storage === 'denied'
        ? ['SecurityError', 'SecurityError', 'UnknownError', 'SecurityError']
        : [storage === 'shared with its own site' ? ['mark'] : [], [], [], []],
    )
    expect(await page.evaluate('history.length')).toBe(entries)
  },
)

/** A browser that lets frames of other sites store things: private windows, and Debian's default, do not. */
function keepingBrowser(off: string): Pick<Browser, 'newContext'> {
  const args = [`--disable-features=${off}`]
  const home = mkdtempSync(join(tmpdir(), 'pi-profile-'))
  mkdirSync(join(home, 'Default'))
  const preferences = { profile: { cookie_controls_mode: 0, block_third_party_cookies: false } }
  writeFileSync(join(home, 'Default/Preferences'), JSON.stringify(preferences))
  onTestFinished(() => rmSync(home, { recursive: true, force: true, maxRetries: 5 }))
  return {
    newContext: async (options) => {
      const installed = await installedChromium()
      return await chromium.launchPersistentContext(home, { ...options, ...installed, args })
    },
  }
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
