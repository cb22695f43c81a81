/**
 * A visitor with a real browser, who keeps a record of everything that a page complained about.
 *
 * @module
 */
import { mkdir } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { payWith } from '@pi-checkout/element/testing'
import { launchBrowser } from '@pi-checkout/test-support/browsers'
import type { Browser, BrowserContextOptions, Page } from '@playwright/test'
import { inject } from 'vitest'

export const house = inject('house')
export { payWith }

export interface Visitor {
  readonly page: Page
  /** Console errors and warnings, page errors and policy violations, from every frame. */
  readonly complaints: readonly string[]
  /** What moved by itself on the shop's page that is open. */
  layoutShifts(): Promise<string[]>
  leave(): Promise<void>
}

let browser: Browser | undefined

/** Opens the shop's browser, one for all visitors of a file. */
export async function openBrowser(): Promise<Browser> {
  browser = await launchBrowser()
  return browser
}

export async function visit(options: BrowserContextOptions = {}): Promise<Visitor> {
  if (!browser) throw new Error('open the browser first')
  const context = await browser.newContext({ baseURL: house.shopUrl, locale: 'en', ...options })
  const complaints: string[] = []
  context.on('console', (line) => {
    if (line.type() === 'error' || line.type() === 'warning') complaints.push(line.text())
  })
  context.on('weberror', (error) => complaints.push(error.error().message))
  await context.addInitScript({ content: watchPage })
  const page = await context.newPage()
  return {
    page,
    complaints,
    layoutShifts: () => page.evaluate('layoutShifts'),
    leave: () => context.close(),
  }
}

/** Puts products into the cart, orders them and waits for the form. Returns the order's id. */
export async function openCheckout(page: Page, products = ['lori-honey']): Promise<string> {
  await fillCart(page, products)
  await page.goto('/cart')
  await page.getByTestId('place-order').click()
  await page.waitForURL('**/pay/*')
  await formReady(page)
  return new URL(page.url()).pathname.split('/').at(-1) ?? ''
}

export async function fillCart(page: Page, products: readonly string[]): Promise<void> {
  await page.goto('/')
  for (const product of products) {
    const added = page.waitForResponse((answer) => answer.request().method() === 'PUT')
    await page.locator(`[data-product=${product}]`).click()
    await added
  }
}

/** Waits until the hosted form may be used. */
export async function formReady(page: Page): Promise<void> {
  await page.locator('pi-checkout:state(ready)').waitFor()
}

/** Waits until the page shows this state of the order. */
export async function orderShows(page: Page, state: string): Promise<void> {
  await page.locator(`[data-testid=order-state][data-state=${state}]`).waitFor()
}

/** Keeps a picture of the screen, for people. */
export async function keepScreen(page: Page, name: string): Promise<void> {
  const folder = fileURLToPath(new URL('../../test-results/screens/', import.meta.url))
  await mkdir(folder, { recursive: true })
  await page.screenshot({ path: `${folder}${name}.png` })
}

/** Runs in the page, hence a text: no server code here may see a browser's types. */
const watchPage = `
  addEventListener('securitypolicyviolation', ({ effectiveDirective, blockedURI }) => {
    console.error('policy: ' + effectiveDirective + ' blocked ' + blockedURI)
  })
  globalThis.layoutShifts = []
  new PerformanceObserver((list) => {
    for (const { value, sources } of list.getEntries()) {
      const moved = sources.map(({ node, previousRect: was, currentRect: is }) =>
        [node?.outerHTML?.slice(0, 80), was.x, was.y, was.width, '→', is.x, is.y, is.width].join(' '))
      globalThis.layoutShifts.push(value.toFixed(6) + ': ' + moved.join(', '))
    }
  }).observe({ type: 'layout-shift', buffered: true })
`
