import { readFileSync } from 'node:fs'
import { setTimeout } from 'node:timers/promises'
import type { Page } from '@playwright/test'
import { expect, test } from 'vitest'
import { observeShifts, shiftOf, startSites, waitForEvent } from './support/sites.ts'

const sites = startSites()

/** HTML pages of the documents that load a script with an error handler. */
const pages = ['../../../README.md', '../guides/frameworks.md'].flatMap((path) => {
  const text = readFileSync(new URL(path, import.meta.url), 'utf8')
  const blocks = [...text.matchAll(/```html\n([\s\S]*?)```/g)].map(([, html = '']) => html)
  return blocks.filter((html) => html.includes('onerror')).map((html) => ({ path, html }))
})
const checkoutPages = pages.filter(({ html }) => html.includes('pi-checkout.js'))

function openPage(html: string, prepare: (page: Page) => unknown): Promise<Page> {
  const page = html
    .replaceAll(/CHECKOUT|https:\/\/pay\.example/g, sites.checkout)
    .replace('</pi-checkout>', '</pi-checkout><p>After the checkout</p>')
  return sites.openShop({ html: page, prepare })
}

test('the guide and the root README have such a page', () => {
  expect(new Set(checkoutPages.map(({ path }) => path)).size).toBe(2)
})

test.each(pages)('the page of $path shows a message if its script is blocked', async ({ html }) => {
  sites.expectedMessages.push(/Failed to load resource/)
  const page = await openPage(html, (opened) => opened.route('**/*.js', (route) => route.abort()))
  await page.getByText('could not be loaded').waitFor()
})

test.each(checkoutPages)('the page of $path shifts nothing while it loads', async ({ html }) => {
  const page = await openPage(html, async (opened) => {
    // A slow script, so that the page is painted before the definition.
    await opened.route('**/v1/pi-checkout.js', async (route) => {
      await setTimeout(500)
      await route.continue()
    })
    await observeShifts(opened)
  })
  await waitForEvent(page, 'pi-ready')
  expect(await shiftOf(page)).toBe(0)
})
