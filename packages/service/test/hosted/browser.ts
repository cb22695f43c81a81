/** The hosted page in a real browser, in an iframe of a small shop on another site. @module */
import { launchBrowser } from '@pi-checkout/test-support/browsers'
import type {
  Browser,
  BrowserContextOptions,
  Frame,
  FrameLocator,
  Locator,
  Page,
} from '@playwright/test'
import axe from 'axe-core'
import { expect, onTestFinished, vi } from 'vitest'
import { type Pair, type RunningCheckout, startCheckout } from '../support/checkout.ts'
import { atEnd } from '../support/lifetime.ts'
import { type Shop, startShop } from './shop-page.ts'

export interface BrowserStack {
  readonly checkout: RunningCheckout
  readonly shop: Shop
  readonly browser: Pick<Browser, 'newContext'>
  /** Presses a button in an iframe. */
  press(button: Locator): Promise<void>
}

/** Starts shop, checkout, and test bank on three sites, and one browser: Chromium, or a stock Firefox. */
export async function startBrowserStack(
  name: 'chromium' | 'firefox' = 'chromium',
): Promise<BrowserStack> {
  // On a busy host a browser may need long.
  vi.setConfig({ testTimeout: 90_000 })
  const checkout = await startCheckout({
    hosts: { checkout: 'pay.localhost', challenge: 'bank.localhost' },
  })
  const shop = await startShop(checkout)
  for (const id of ['env_test', 'env_live', 'env_other']) {
    await checkout.registerOrigin(shop.origin, id)
  }
  const browser = await launchBrowser(name)
  atEnd(async () => await browser.close())
  const click = async (button: Locator): Promise<void> => await button.click()
  return { checkout, shop, browser, press: name === 'firefox' ? pressByEvent : click }
}

/** Playwright's mouse and keyboard don't reach a cross-site iframe in a stock Firefox. */
async function pressByEvent(button: Locator): Promise<void> {
  await expect.poll(async () => await button.getAttribute('aria-disabled')).not.toBe('true')
  await button.dispatchEvent('click')
}

/** The shop's page of one buyer, with the hosted page in it. */
export interface ShopPage {
  readonly page: Page
  readonly pair: Pair
  /** The hosted page. */
  readonly frame: FrameLocator
  /** The issuer's page inside it. */
  readonly bank: FrameLocator
  /** The messages of the hosted page to the shop's page so far. */
  messages(): Promise<string[]>
  /** Fills in a card, in any language. */
  fill(number: string): Promise<void>
  pay(number: string): Promise<void>
  /** Answers the challenge inside the hosted page. */
  submitCode(code: string): Promise<void>
  /** Waits for an alert of the hosted page with this text. */
  alert(text: string): Promise<void>
}

export interface PageOptions {
  /** @default A new intent */
  readonly pair?: Pair
  readonly query?: Record<string, string>
  /** Appended to the address. */
  readonly rest?: string
  /** A page of the same browser profile, in another tab. */
  readonly nextTo?: ShopPage
  readonly context?: BrowserContextOptions
  /** Whether to wait until the hosted page is ready. @default true */
  readonly ready?: boolean
  /** Console errors that the test causes. */
  readonly expected?: readonly RegExp[]
  readonly prepare?: (page: Page) => Promise<void>
}

/**
 * Opens the shop's page, and closes it when the test ends. The test fails if the page had an unexpected error,
 * such as a violation of its Content Security Policy, or if the service logged a secret.
 */
export async function openShop(
  { browser, shop, checkout, press }: BrowserStack,
  { query = {}, rest = '', nextTo, context, ready = true, ...options }: PageOptions = {},
): Promise<ShopPage> {
  const pair = options.pair ?? (await checkout.createIntent())
  const session =
    nextTo?.page.context() ??
    (await browser.newContext({ viewport: { width: 480, height: 760 }, ...context }))
  const page = await session.newPage()
  const errors = collectErrors(page, options.expected)
  onTestFinished(async () => {
    await (nextTo ? page : session).close()
    expect(errors).toEqual([])
    const logged = checkout.logged.join('')
    for (const secret of [pair.clientSecret, 'Bearer ']) expect(logged).not.toContain(secret)
  })
  await options.prepare?.(page)
  const { id, clientSecret: secret } = pair
  const address = new URLSearchParams({ id, secret, locale: 'en', scheme: 'light', ...query })
  await page.goto(`${shop.origin}/pay?${address}${rest}`)
  const frame = page.frameLocator('iframe').first()
  const bank = frame.frameLocator('iframe')
  const window: ShopPage = {
    page,
    pair,
    frame,
    bank,
    messages: async () =>
      await page.evaluate(() => Reflect.get(globalThis, 'messages') as string[]),
    fill: async (number) => {
      await frame.locator('#card-number').fill(number)
      await frame.locator('#card-expiry').fill('12 / 40')
      await frame.locator('#card-cvc').fill('123')
      await frame.locator('#card-name').fill('Ani Test')
    },
    pay: async (number) => {
      await window.fill(number)
      await press(frame.getByRole('button', { name: /^Pay / }))
    },
    submitCode: async (code) => {
      await bank.getByLabel('Code').fill(code)
      await press(bank.getByRole('button', { name: 'Confirm' }))
    },
    alert: async (text) =>
      await frame.getByRole('alert').getByText(text).waitFor({ timeout: 30_000 }),
  }
  if (ready) await expect.poll(window.messages, { timeout: 15_000 }).toContain('ready')
  return window
}

/** Returns the errors that a page throws or prints from now on, without the expected ones. */
export function collectErrors(page: Page, expected: readonly RegExp[] = []): readonly string[] {
  const errors: string[] = []
  const add = (error: string): void => {
    if (!expected.some((pattern) => pattern.test(error))) errors.push(error)
  }
  page.on('pageerror', (error) => add(error.message))
  page.on('console', (message) => void (message.type() === 'error' && add(message.text())))
  return errors
}

/** Waits for the screen of a result. */
export async function expectResult({ frame }: ShopPage, state: string): Promise<void> {
  await frame.locator(`[data-testid="result"][data-state="${state}"]`).waitFor({ timeout: 20_000 })
}

/** Returns what the four fields of a card contain. */
export async function valuesOf(frame: FrameLocator): Promise<string[]> {
  return await frame
    .locator('form.card input')
    .evaluateAll((inputs) => inputs.map((input) => String(Reflect.get(input, 'value'))))
}

/** Returns the frame with an origin. */
export function frameAt({ page }: ShopPage, origin: string): Frame {
  const found = page.frames().find((frame) => frame.url().startsWith(origin))
  if (!found) throw new Error(`there is no frame of ${origin}`)
  return found
}

/** Returns the axe violations in a page or frame, with their elements. */
export async function violationsIn(frame: Frame | Page): Promise<readonly string[]> {
  await frame.evaluate(axe.source)
  const run = `axe.run(document, { resultTypes: ['violations'] })`
  const { violations } = (await frame.evaluate(run)) as axe.AxeResults
  return violations.flatMap(({ id, nodes }) => nodes.map(({ html }) => `${id}: ${html}`))
}
