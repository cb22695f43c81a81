/**
 * The hosted page in a real Chromium, in a frame of a small shop on another site.
 *
 * Whatever a page writes to its console as an error, a broken policy included, fails the test.
 *
 * @module
 */
import { launchBrowser } from '@pi-checkout/test-support/browsers'
import type { Browser, BrowserContextOptions, FrameLocator, Locator, Page } from '@playwright/test'
import { afterAll, beforeAll, expect, vi } from 'vitest'
import { type Pair, type RunningCheckout, startCheckout } from '../support/checkout.ts'
import type { FaultyProxy } from './faulty-proxy.ts'
import { payAddress, type Shop, startShop } from './shop-page.ts'

export interface BrowserStack {
  readonly checkout: RunningCheckout
  readonly shop: Shop
  readonly browser: Browser
  /** Presses a button in a frame. */
  press(button: Locator): Promise<void>
  close(): Promise<void>
}

/**
 * Shop, checkout and bank on three sites, and one browser: Chromium, or a stock Firefox.
 *
 * @param proxy - Between browser and checkout.
 */
export async function startBrowserStack(
  name: 'chromium' | 'firefox' = 'chromium',
  proxy?: FaultyProxy,
): Promise<BrowserStack> {
  const checkout = await startCheckout({
    hosts: { checkout: 'pay.localhost', challenge: 'bank.localhost' },
    ...(proxy && { publicUrl: `http://pay.localhost:${proxy.port}` }),
  })
  proxy?.serve(checkout.nodeUrl)
  const shop = await startShop(checkout)
  await checkout.registerOrigin(shop.origin)
  const browser = await launchBrowser(name)
  return {
    checkout,
    shop,
    browser,
    press: name === 'firefox' ? pressByEvent : async (button) => await button.click(),
    close: async () => {
      await browser.close()
      await shop.close()
      await checkout.close()
    },
  }
}

/** Starts a stack for the tests of a file or of a `describe`, and stops it after them. */
export function useBrowserStack(...options: Parameters<typeof startBrowserStack>): BrowserStack {
  // On a busy host a browser may need long.
  vi.setConfig({ testTimeout: 90_000 })
  const stack = {} as BrowserStack
  beforeAll(async () => void Object.assign(stack, await startBrowserStack(...options)), 120_000)
  afterAll(async () => await stack.close())
  return stack
}

/** Playwright's mouse and keyboard don't reach a cross-site frame in a stock Firefox. */
async function pressByEvent(button: Locator): Promise<void> {
  await expect.poll(async () => await button.getAttribute('aria-disabled')).not.toBe('true')
  await button.dispatchEvent('click')
}

/** The shop's page of one buyer, with the hosted page in it. */
export interface ShopPage {
  readonly page: Page
  /** The hosted page. */
  readonly frame: FrameLocator
  /** The issuer's page inside it. */
  readonly bank: FrameLocator
  /** The messages of the hosted page to the shop's page so far. */
  messages(): Promise<string[]>
  fill(number: string, card?: { expiry?: string; cvc?: string }): Promise<void>
  pay(number: string): Promise<void>
  close(): Promise<void>
}

/** Opens the shop's page and waits until the hosted page is ready. */
export async function openShop(
  {
    browser,
    shop,
    checkout,
    press,
  }: Pick<BrowserStack, 'shop' | 'checkout' | 'press'> & {
    readonly browser: Pick<Browser, 'newContext'>
  },
  pair: Pair,
  {
    query = {},
    rest = '',
    beside,
    context,
    ready = true,
    expected = [],
    prepare,
  }: {
    readonly query?: Record<string, string>
    /** Appended to the address. */
    readonly rest?: string
    /** A page of the same browser profile, in another tab. */
    readonly beside?: ShopPage
    readonly context?: BrowserContextOptions
    readonly ready?: boolean
    /** Console errors that the test causes. */
    readonly expected?: readonly RegExp[]
    readonly prepare?: (page: Page) => Promise<void>
  } = {},
): Promise<ShopPage> {
  const session =
    beside?.page.context() ??
    (await browser.newContext({ viewport: { width: 480, height: 760 }, ...context }))
  const page = await session.newPage()
  const errors: string[] = []
  page.on('pageerror', (error) => errors.push(error.message))
  page.on('console', (message) => {
    if (message.type() === 'error') errors.push(message.text())
  })
  await prepare?.(page)
  const address = new URL(payAddress(shop, pair, { locale: query.locale ?? 'en' }))
  for (const [name, value] of Object.entries(query)) address.searchParams.set(name, value)
  await page.goto(address.href + rest)
  const frame = page.frameLocator('iframe').first()
  const window: ShopPage = {
    page,
    frame,
    bank: frame.frameLocator('iframe'),
    messages: async () =>
      await page.evaluate(() => Reflect.get(globalThis, 'messages') as string[]),
    fill: async (number, { expiry = '12 / 40', cvc = '123' } = {}) => {
      await frame.getByLabel('Card number').fill(number)
      await frame.getByLabel('Expiry date').fill(expiry)
      await frame.getByLabel('Security code').fill(cvc)
      await frame.getByLabel('Name on card').fill('Ani Test')
    },
    pay: async (number) => {
      await window.fill(number)
      await press(frame.getByRole('button', { name: /^Pay / }))
    },
    close: async () => {
      const unexpected = errors.filter((error) => !expected.some((pattern) => pattern.test(error)))
      await (beside ? page : session).close()
      expect(unexpected).toEqual([])
      const secrets = [pair.clientSecret, 'Bearer ']
      for (const secret of secrets) expect(checkout.logged.join('')).not.toContain(secret)
    },
  }
  if (ready) await expect.poll(window.messages, { timeout: 15_000 }).toContain('ready')
  return window
}

/** Waits for the screen of a result. */
export async function expectResult({ frame }: ShopPage, state: string): Promise<void> {
  await frame.locator(`[data-testid="result"][data-state="${state}"]`).waitFor({ timeout: 20_000 })
}
