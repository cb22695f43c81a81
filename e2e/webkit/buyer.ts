/** A buyer with WebKit: `test` with a window as `page`, and the card form filled through WebDriver. @module */
import { test as base } from '../fixtures/test-stack.ts'
import { WebkitPage, webkitPrograms } from './driver.ts'

/** WebDriver does not report the console of a page, so the console is not checked here. */
export const test = base.extend<{ webkit: WebkitPage }>({
  // biome-ignore lint/correctness/noEmptyPattern: Playwright reads the fixtures off this pattern
  pageErrors: async ({}, use) => use({ allow: () => {}, unexpected: () => [] }),
  // biome-ignore lint/correctness/noEmptyPattern: Playwright reads the fixtures off this pattern
  webkit: async ({}, use) => {
    const programs = webkitPrograms()
    if (!programs) throw new Error('WebKitGTK is not installed')
    const page = await WebkitPage.open(programs)
    await use(page)
    await page.close()
  },
})

/** Enters the hosted page of the checkout on the current page. */
export async function enterCheckout(webkit: WebkitPage): Promise<void> {
  await webkit.enterFrame(
    `return document.querySelector('pi-checkout')?.shadowRoot?.querySelector('iframe')`,
  )
}

/** Fills the card form and presses Pay. */
export async function pay(webkit: WebkitPage, number: string): Promise<void> {
  await fillCard(webkit, number)
  await webkit.click('button[type=submit]')
}

/** Fills the card form until it can be submitted. */
export async function fillCard(webkit: WebkitPage, number: string): Promise<void> {
  await webkit.type('[autocomplete=cc-number]', number)
  await webkit.type('[autocomplete=cc-exp]', '1234')
  await webkit.type('[autocomplete=cc-csc]', '123')
  await webkit.type('[autocomplete=cc-name]', 'Ani Petrosyan')
  await webkit.waitFor(
    `return document.querySelector('button[type=submit]')?.ariaDisabled === 'false'`,
  )
}
