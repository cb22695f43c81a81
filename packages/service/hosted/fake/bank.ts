/** The test bank's page, in the place of the one that the service renders. @module */
import { challengeCodes } from '@pi-checkout/contract/sandbox'
import { languageOf } from '../../shared/language.ts'
import { challengeTexts } from '../../src/test-bank/texts.ts'
import styles from '../test-bank/styles.css?inline'

/** What the address of the bank's page says, in its fragment. */
export interface Bank {
  readonly id: string
  readonly locale: string
  /** Where a page that replaces the shop's returns to. */
  readonly returnUrl?: string | undefined
}

/** Returns the address, which any handler of `/checkout/*` serves. */
export function bankUrl(bank: Bank): string {
  return `${location.origin}/checkout/bank#${encodeURIComponent(JSON.stringify(bank))}`
}

/** `undefined` if this is not the bank's page. */
export const bank: Bank | undefined = location.pathname.endsWith('/bank')
  ? JSON.parse(decodeURIComponent(location.hash.slice(1)))
  : undefined

/** @param onAnswer - Called with the buyer's code in a frame, and with `undefined` if the buyer has canceled. */
export function showBank(
  { locale, returnUrl }: Bank,
  onAnswer: (code: string | undefined) => void,
): void {
  const texts = challengeTexts[languageOf(locale)]
  document.documentElement.lang = languageOf(locale)
  document.title = texts.bank
  document.body.innerHTML = `<style>${styles}</style><main class="stack"><h1>${texts.title}</h1>
    <form class="row">
      <label for="code">${texts.code}</label>
      <p class="hint">${texts.hint}</p>
      <input id="code" name="code" inputmode="numeric" autocomplete="one-time-code" required>
      <p class="error" role="alert"></p>
      <button class="primary" name="action" value="confirm">${texts.confirm}</button>
      <button name="action" value="cancel" formnovalidate>${texts.cancel}</button>
    </form></main>`
  const [form] = document.forms
  form?.addEventListener('submit', (event) => {
    event.preventDefault()
    event.stopImmediatePropagation()
    const fields = new FormData(form, event.submitter)
    if (returnUrl === undefined) {
      onAnswer(fields.get('action') === 'cancel' ? undefined : String(fields.get('code')))
      window.parent.postMessage({ pi: 'challenge', t: 'done' }, '*')
      // Another site's page shares no storage with the frame, which takes its return for the code.
    } else if (fields.get('code') === challengeCodes.passes) location.replace(returnUrl)
    else history.back()
  })
}
