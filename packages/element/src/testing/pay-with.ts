/**
 * A buyer for browser tests: fills in the hosted page's form and completes the payment.
 *
 * It finds the fields by their `autocomplete`, so the page may have any language.
 *
 * @module
 */
import { challengeCodes, testCards } from '@pi-checkout/contract/sandbox'
import type { FrameLocator, Locator, Page } from '@playwright/test'
import { type PaymentOutcome, type PaymentPlan, plans } from './plans.ts'

/**
 * Pays with the test card of an outcome, in the `<pi-checkout>` of a page, or on the full page.
 *
 * Call it again on the same page to pay after a decline.
 *
 * @param where - The Playwright page. Its `<pi-checkout>` may still be loading. On a page with several,
 * the locator of one of them.
 * @param outcome - Such as `'succeeded'`, `'declined'`, or `'challenge'`. `'redirect'` leaves the page and
 * returns to it; `'canceled'` presses Cancel payment.
 * @returns When the buyer has done the last step. After a decline, when its reason is shown. Expect the
 * result on your own page, which asks your server.
 * @throws {TypeError} If the outcome is unknown.
 * @throws {Error} If the element cannot show the checkout. The message contains the code of `pi-error`.
 * @example
 * await payWith(page, 'succeeded')
 */
export async function payWith(where: Page | Locator, outcome: PaymentOutcome): Promise<void> {
  const plan: PaymentPlan | undefined = plans[outcome]
  if (!plan) {
    throw new TypeError(`outcome: must be one of ${Object.keys(plans).join(', ')}`)
  }
  const isPage = 'goto' in where
  const element = isPage ? where.locator('pi-checkout') : where
  const isFull = isPage && (await isFullPage(where))
  const form = isFull ? where : element.locator('iframe').contentFrame()
  const field = (name: string): Locator => fieldOf(form, `cc-${name}`)
  await Promise.race([field('number').waitFor(), ...(isFull ? [] : [rejectOnError(element)])])
  if (!plan.card) {
    // With typed details the form would ask first.
    for (const name of ['number', 'exp', 'csc', 'name']) await field(name).fill('')
    await press(form.locator('form button[type="button"]:enabled'))
    return
  }
  await field('number').fill(testCards[plan.card])
  await field('exp').fill('12/34')
  await field('csc').fill('123')
  await field('name').fill('Test Buyer')
  await press(form.locator('form button:not([type="button"]):enabled'))
  if (plan.bank) {
    const bank = plan.redirects ? element.page() : form.frameLocator('iframe')
    const field = fieldOf(bank, 'one-time-code')
    await field.waitFor()
    if (plan.bank === 'cancel') await press(form.locator('button.link:visible'))
    else {
      await field.fill(challengeCodes[plan.bank])
      await press(bank.locator('form button:enabled').nth(0))
    }
  }
  if (plan.ends !== 'declined') return
  await form.getByRole('alert').filter({ hasText: /\S/ }).waitFor()
}

/** Waits for the element or the full page. Returns whether it is the full page. */
async function isFullPage(page: Page): Promise<boolean> {
  const full = page.locator('html[data-return]')
  await page.locator('pi-checkout').or(full).first().waitFor({ state: 'attached' })
  return (await full.count()) > 0
}

/** Rejects with the element's error, and never resolves: without it a missing form is only a timeout. */
async function rejectOnError(element: Locator): Promise<never> {
  const error = element.evaluate((found: unknown) => {
    const checkout = found as CheckoutWithError
    if (checkout.error) return checkout.error.code
    return new Promise<string>((resolve) => {
      checkout.addEventListener('pi-error', (event) => resolve(event.error.code))
    })
  })
  const code = await error.catch(() => undefined)
  if (code) throw new Error(`payWith: <pi-checkout> cannot show the checkout: ${code}`)
  // The page has navigated: the payment has made progress.
  return new Promise(() => {})
}

/** The members of `<pi-checkout>` that are used here, for programs without DOM types. */
interface CheckoutWithError {
  readonly error: { readonly code: string } | null
  addEventListener(
    type: 'pi-error',
    listener: (event: { readonly error: { readonly code: string } }) => void,
  ): void
}

/**
 * Presses a button with the keyboard: a click misses if the page moves the frame at the same moment. An action may not
 * end if its frame is removed meanwhile, so the button's end counts too.
 */
async function press(button: Locator): Promise<void> {
  await button.waitFor()
  await Promise.race([button.press('Enter'), button.waitFor({ state: 'detached' })])
}

function fieldOf(page: Page | FrameLocator, autocomplete: string): Locator {
  return page.locator(`input[autocomplete="${autocomplete}"]`)
}
