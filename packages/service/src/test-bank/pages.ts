/** Renders the test bank's page as HTML. Received texts are escaped here. @module */
import { formatMoney } from '@pi-checkout/contract/money'
import { languageOf } from '../../shared/language.ts'
import { routes } from '../../shared/routes.ts'
import { readPage } from '../checkout/pages.ts'
import { escapeHtml } from '../http/send.ts'
import { maxChallengeTries } from '../intents/challenge.ts'
import { type Challenge, lastConfirmation } from '../intents/intent.ts'
import type { Snapshot } from '../intents/store.ts'
import { challengeTexts } from './texts.ts'

/** The form asks for a code, for example after a wrong one. */
interface Question {
  readonly next: 'ask'
  readonly snapshot: Snapshot
  readonly challenge: Challenge
  readonly token: string
}

/** What a step at the bank leads to. */
export type Outcome =
  | Question
  /** `done`: the bank has decided, and the hosted page reads the result. `over`: the token is not valid. */
  | { readonly next: 'done' | 'over'; readonly returnPage: string | null }

/** Returns the page of an outcome: the form, or a note. */
export function bankPage(
  outcome: Outcome,
  { locale, display }: { readonly locale: string; readonly display: Challenge['type'] },
): string {
  const { next } = outcome
  const content =
    next === 'ask'
      ? codeForm(outcome, locale)
      : `<p class="empty" data-${next}="" role="status">${challengeTexts[languageOf(locale)][next]}</p>`
  return readPage('test-bank')
    .replace('lang="en"', `lang="${languageOf(locale)}"`)
    .replace('class="stack"', `class="${display === 'redirect' ? 'apart stack' : 'stack'}"`)
    .replace('<!--content-->', () => content)
}

function codeForm({ snapshot, challenge, token }: Question, locale: string): string {
  const { intent, environment } = snapshot
  const { tries, type } = challenge
  const texts = challengeTexts[languageOf(locale)]
  const amount = formatMoney(intent.amount, intent.currency, locale)
  const card = lastConfirmation(intent)?.paymentMethod.card?.last4 ?? ''
  const isPage = type === 'redirect'
  const wrong = tries + 1 < maxChallengeTries ? texts.wrong : texts.wrongLast
  // Around a frame, the checkout has a button for another card.
  const cancel = `<button name="action" value="cancel" formnovalidate>${texts.cancel}</button>`
  // Browsers block autofocus in cross-origin iframes, and report it in the console.
  const focus = isPage ? ' autofocus' : ''
  const action = isPage ? routes.bankAnswer.path : routes.challengeAnswer.path
  return `
    <p class="bank row">${bankIcon}${texts.bank}</p>
    <h1>${texts.title}</h1>
    <dl>
      <div class="row between"><dt>${texts.shop}</dt><dd><bdi>${escapeHtml(environment.merchantName)}</bdi></dd></div>
      <div class="row between"><dt>${texts.amount}</dt><dd>${escapeHtml(amount)}</dd></div>
      <div class="row between"><dt>${texts.card}</dt><dd>•••• ${escapeHtml(card)}</dd></div>
    </dl>
    <form class="row" method="post" action="${action}" data-presentation="${isPage ? 'page' : 'frame'}"
      data-lost="${texts.lost}">
      <input type="hidden" name="token" value="${token}">
      <input type="hidden" name="locale" value="${escapeHtml(locale)}">
      <label for="code">${texts.code}</label>
      <p class="hint" id="hint">${texts.hint}</p>
      <input id="code" name="code" type="text" inputmode="numeric" autocomplete="one-time-code"
        maxlength="12" required${focus}${tries > 0 ? ' aria-invalid="true"' : ''} aria-describedby="error hint">
      <p class="error" id="error" role="alert">${tries > 0 ? wrong : ''}</p>
      <button class="primary" name="action" value="confirm">${texts.confirm}</button>
      ${isPage ? cancel : ''}
    </form>`
}

const bankIcon = `<svg width="1.125rem" viewBox="0 0 18 18" aria-hidden="true"><path fill="currentColor" d="M9 1 1.5 5v1.5h15V5L9 1zM3 8v5H2v2h14v-2h-1V8h-2v5h-2.5V8h-3v5H5V8H3z"/></svg>`
