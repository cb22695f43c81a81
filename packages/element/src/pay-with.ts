/**
 * A buyer for browser tests: fills the hosted page's form in and sees the payment through.
 *
 * It knows the page by its accessible names alone, as a buyer does, and needs its English texts.
 *
 * @module
 */
import type { FrameLocator, Locator, Page } from '@playwright/test'
import { type Plan, plans } from './test-cards.ts'

/** What a test card brings about. */
export type PaymentOutcome = keyof typeof plans

/**
 * Pays with the test card of an outcome, in the `<pi-checkout>` of a page.
 *
 * Call it again on the same page to pay at the second try.
 *
 * @param where The page as Playwright hands it out; its `<pi-checkout>` may still be loading. On a page
 * with several, the locator of one of them.
 * @param outcome `'success'`, `'declined'`, `'challenge'` and so on. `'redirect'` leaves the page and
 * comes back to it; `'canceled'` presses Cancel payment.
 * @returns When the buyer's part is over. After a decline that can be mended the reason is shown;
 * how the order stands is for your own server to say and for your test to expect.
 * @throws {Error} The element cannot show the checkout: the message has its code, as `pi-error` does.
 */
export async function payWith(where: Page | Locator, outcome: PaymentOutcome): Promise<void> {
  const plan: Plan | undefined = plans[outcome]
  if (!plan) {
    throw new TypeError(`outcome: must be one of ${Object.keys(plans).join(', ')}`)
  }
  const element = 'goto' in where ? where.locator('pi-checkout') : where
  const form = element.locator('iframe').contentFrame()
  await Promise.race([form.getByLabel('Card number').waitFor(), failureOf(element)])
  if (!plan.card) {
    await form.getByRole('button', { name: 'Cancel payment' }).click()
    return
  }
  await form.getByLabel('Card number').fill(plan.card)
  await form.getByLabel('Expiry date').fill('12/34')
  await form.getByLabel('Security code').fill('123')
  await form.getByLabel('Name on card').fill('Test Buyer')
  await form.getByRole('button', { name: /^Pay / }).click()
  if (plan.bank) {
    await answerBank(plan.redirects ? element.page() : form.frameLocator('iframe'), plan.bank)
  }
  if (plan.ends === 'declined') await form.getByRole('alert').filter({ hasText: /\S/ }).waitFor()
}

/** Ends with the element's error if it has one, or else never: a form that does not come says why. */
async function failureOf(element: Locator): Promise<never> {
  const told = element.evaluate((found: unknown) => {
    const checkout = found as FailingElement
    if (checkout.error) return checkout.error.code
    return new Promise<string>((resolve) => {
      checkout.addEventListener('pi-error', (event) => resolve(event.error.code))
    })
  })
  const code = await told.catch(() => undefined)
  if (code) throw new Error(`payWith: <pi-checkout> cannot show the checkout: ${code}`)
  // The page has gone on: so has the payment.
  return new Promise(() => {})
}

/** What is asked of `<pi-checkout>`, for programs that know no DOM. */
interface FailingElement {
  readonly error: { readonly code: string } | null
  addEventListener(
    type: 'pi-error',
    listener: (event: { readonly error: { readonly code: string } }) => void,
  ): void
}

async function answerBank(bank: Page | FrameLocator, answer: string): Promise<void> {
  if (answer === 'cancel') {
    await bank.getByRole('button', { name: 'Cancel' }).click()
    return
  }
  await bank.getByLabel('Code').fill(answer)
  await bank.getByRole('button', { name: 'Confirm' }).click()
}
