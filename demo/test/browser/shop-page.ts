/** The shop in a browser, with the errors and layout shifts of its pages. @module */
import { mkdir } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { payWith } from '@pi-checkout/element/testing'
import { launchBrowser } from '@pi-checkout/test-support/browsers'
import type { Browser, BrowserContextOptions, Page } from '@playwright/test'
import { afterAll, beforeAll, inject, onTestFinished } from 'vitest'

export const stack = inject('stack')
export { payWith }

export interface ShopPage {
  readonly page: Page
  /** Console lines but notes, page errors, and policy violations, from every frame. */
  readonly errors: readonly string[]
  /** The layout shifts of the open page. */
  layoutShifts(): Promise<string[]>
}

let browser: Browser

/** One browser for the tests of the file that calls it. */
export function useBrowser(): void {
  beforeAll(async () => {
    browser = await launchBrowser()
  })
  afterAll(() => browser.close())
}

/** Opens a page of the shop until the end of the test. */
export async function openShop(options: BrowserContextOptions = {}): Promise<ShopPage> {
  const context = await browser.newContext({ baseURL: stack.shopUrl, locale: 'en', ...options })
  onTestFinished(() => context.close())
  const errors: string[] = []
  context.on('console', (line) => {
    if (line.type() !== 'info') errors.push(line.text())
  })
  context.on('weberror', (error) => errors.push(error.error().message))
  await context.addInitScript({ content: watchPage })
  const page = await context.newPage()
  return { page, errors, layoutShifts: () => page.evaluate('layoutShifts') }
}

/** Orders products and waits for the form. Returns the order's id. */
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
  for (const [index, product] of products.entries()) {
    await page.locator(`[data-product=${product}]`).click()
    await page
      .getByTestId('cart-count')
      .getByText(String(index + 1))
      .waitFor()
  }
}

/** Waits until the card form is ready. */
export async function formReady(page: Page): Promise<void> {
  await page.locator('pi-checkout:state(ready)').waitFor()
}

/** Waits until the page shows a state of the order. */
export async function orderShows(page: Page, state: string): Promise<void> {
  await page.locator(`[data-testid=order-state][data-state=${state}]`).waitFor()
}

/** Saves a screenshot for a manual review. */
export async function keepScreen(page: Page, name: string): Promise<void> {
  const folder = fileURLToPath(new URL('../../test-results/screens/', import.meta.url))
  await mkdir(folder, { recursive: true })
  await page.screenshot({ path: `${folder}${name}.png` })
}

/** Runs in the page. It is a text, because the server's types don't include the browser's. */
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
