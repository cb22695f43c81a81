/**
 * What the stand-in issuer's page holds, as HTML. Whatever came from outside is escaped here.
 *
 * @module
 */
import { formatMoney } from '@pi-checkout/contract/money'
import { languageOf } from '../../shared/language.ts'
import { escapeHtml } from '../http/html.ts'
import { maxChallengeTries } from '../intents/lifetimes.ts'
import type { OpenChallenge, Presentation } from './challenge.ts'
import { challengeTexts } from './challenge-texts.ts'

/** The code form with its one-time token. */
export function codeForm(
  challenge: OpenChallenge,
  {
    action,
    locale,
    presentation,
  }: {
    readonly action: string
    readonly locale: string
    readonly presentation: Presentation
  },
): string {
  const { intent, environment, tries, token } = challenge
  const texts = challengeTexts[languageOf(locale)]
  const amount = formatMoney(intent.amount, intent.currency, locale)
  // A browser lets no frame of another origin take the focus by itself, and says so in its console.
  const focus = presentation === 'page' ? ' autofocus' : ''
  return `
    <p class="bank">${bankIcon}${texts.bank}</p>
    <h1>${texts.title}</h1>
    <dl>
      <dt>${texts.shop}</dt><dd><bdi>${escapeHtml(environment.merchantName)}</bdi></dd>
      <dt>${texts.amount}</dt><dd data-amount>${escapeHtml(amount)}</dd>
      <dt>${texts.card}</dt><dd>•••• ${escapeHtml(intent.paymentMethod?.card?.last4 ?? '')}</dd>
    </dl>
    <form method="post" action="${action}" data-presentation="${presentation}"
      data-lost="${texts.lost}">
      <input type="hidden" name="token" value="${token}">
      <input type="hidden" name="locale" value="${escapeHtml(locale)}">
      <label for="code">${texts.code}</label>
      <input id="code" name="code" type="text" inputmode="numeric" autocomplete="one-time-code"
        maxlength="12" required${focus} aria-describedby="error hint">
      <p class="error" id="error" role="alert">${tries > 0 ? faultText(tries, locale) : ''}</p>
      <p class="hint" id="hint">${texts.hint}</p>
      <button class="primary" name="action" value="confirm">${texts.confirm}</button>
      <button name="action" value="cancel" formnovalidate>${texts.cancel}</button>
    </form>`
}

/** After a wrong code: how it goes on. */
export function faultText(tries: number, locale: string): string {
  const { wrong, wrongLast } = challengeTexts[languageOf(locale)]
  return tries + 1 < maxChallengeTries ? wrong : wrongLast
}

/** The issuer has decided; the hosted page takes over. */
export function doneNote(locale: string): string {
  return `<p class="done" data-done="" role="status">${noteText('done', locale)}</p>`
}

/** A token that is spent, foreign, replaced or late opens only this. */
export function overNote(locale: string): string {
  return `<p class="done" data-over="" role="status">${noteText('over', locale)}</p>`
}

/** The words of both notes. */
export function noteText(note: 'done' | 'over', locale: string): string {
  return challengeTexts[languageOf(locale)][note]
}

const bankIcon = `<svg viewBox="0 0 18 18" aria-hidden="true"><path fill="currentColor" d="M9 1 1.5 5v1.5h15V5L9 1zM3 8v5H2v2h14v-2h-1V8h-2v5h-2.5V8h-3v5H5V8H3z"/></svg>`
