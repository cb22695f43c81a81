import { readFileSync } from 'node:fs'
import type { Page } from '@playwright/test'
import { test } from 'vitest'
import { prepareTestSites } from './browser/test-sites.ts'

const sites = prepareTestSites()
const readme = readFileSync(new URL('../../../README.md', import.meta.url), 'utf8')
const [, sample = ''] = /```html\n(<!-- checkout\.html -->[\s\S]*?)```/.exec(readme) ?? []

async function openSample(prepare: (page: Page) => Promise<unknown>): Promise<Page> {
  const page = await sites.openShop({ script: '', body: '' })
  const body = sample.replaceAll('CHECKOUT', sites.pay)
  await page.route('**/sample', (route) => route.fulfill({ contentType: 'text/html', body }))
  await prepare(page)
  await page.goto(`${sites.shop}/sample`, { waitUntil: 'domcontentloaded' })
  return page
}

test("the README's page says so when the script of the checkout is blocked", async () => {
  sites.expectedLines.push(/Failed to load resource/)
  const page = await openSample((opened) =>
    opened.route('**/pi-checkout.js', (route) => route.abort()),
  )
  await page.getByText('could not be loaded').waitFor()
})
