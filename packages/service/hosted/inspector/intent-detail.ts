/**
 * One intent: what it is, where it can be brought, how it got here, and as the merchant reads it.
 *
 * @module
 */
import { html, LitElement, nothing, type TemplateResult } from 'lit'
import { property } from 'lit/decorators.js'
import type { Outcome } from '../../src/sandbox/settle.ts'
import { copyButton } from './copy.ts'
import type { ViewState } from './inspector.ts'
import { badge, money } from './intents-view.ts'
import { writeRoute } from './route.ts'
import type { Detail } from './sandbox-api.ts'
import { causeWords, spanText, statusWords, timeText } from './words.ts'

export class IntentDetail extends LitElement {
  @property({ attribute: false }) state: ViewState | undefined

  protected override createRenderRoot(): HTMLElement {
    return this
  }

  protected override render(): unknown {
    const { detail, openId } = this.state?.live ?? {}
    const back = html`<a class="back" href=${writeRoute({ section: 'intents' })}>All intents</a>`
    if (!detail) {
      const text = openId ? 'Reading…' : 'There is no such intent any more.'
      return html`<section class="detail">${back}<p class="empty">${text}</p></section>`
    }
    const { intent } = detail
    return html`<section class="detail" aria-label=${`Intent of order ${intent.orderId}`}>
      ${back}
      <header>
        <div><h2 tabindex="-1"><bdi>${intent.orderId}</bdi></h2>${badge(intent.status)}</div>
        <p class="amount">${money(intent.amount, intent.currency)}</p>
        <p class="id"><code>${intent.id}</code>${copyButton('Copy id', () => intent.id)}</p>
      </header>
      ${this.#outcomes(detail)}
      ${facts(detail)}
      <h3>Timeline</h3>
      ${timeline(detail)}
      <h3>As the merchant retrieves it</h3>
      <json-text .value=${intent}></json-text>
    </section>`
  }

  #outcomes({ intent: { id, status } }: Detail): TemplateResult | typeof nothing {
    const offers = outcomes.get(status)
    if (!offers) return nothing
    const { live } = this.state ?? {}
    const settle = (outcome: Outcome) => async (): Promise<void> => {
      await live?.settle(id, outcome)
      // The pressed button may be gone, and with it the place of whoever uses the keyboard.
      await this.updateComplete
      if (document.activeElement === document.body) this.querySelector('h2')?.focus()
    }
    return html`<div class="outcomes" role="group" aria-label="Bring it to an outcome">
      ${offers.map(
        ([outcome, text, hint]) =>
          html`<button type="button" data-outcome=${outcome} title=${hint} ?disabled=${live?.settling}
            @click=${settle(outcome)}>${text}</button>`,
      )}
    </div>`
  }
}

type Offer = readonly [Outcome, string, string]

const decline: Offer = ['declined', 'Decline', 'The buyer may try again']
const fail: Offer = ['failed', 'Fail for good', 'A hard decline: the intent is final']
const cancel: Offer = ['canceled', 'Cancel', 'As the buyer’s Cancel payment']

/** What can be done to an intent of each status that is not final. */
const outcomes: ReadonlyMap<string, readonly Offer[]> = new Map([
  [
    'requires_payment_method',
    [
      ['succeeded', 'Pay', 'As a buyer with a good card'],
      decline,
      fail,
      ['processing', 'Leave processing', 'Until it is settled here'],
      cancel,
    ],
  ],
  [
    'requires_action',
    [
      ['succeeded', 'Confirm at the bank', 'The challenge passes, then it is paid'],
      decline,
      fail,
      cancel,
    ],
  ],
  ['processing', [['succeeded', 'Succeed', 'The provider takes the payment'], decline, fail]],
])

function facts({
  intent,
  confirms,
  expiresAt,
  finalizedAt,
  settlement,
  replayUntil,
}: Detail): TemplateResult {
  const { paymentMethod, lastPaymentFailure, nextAction, providerPaymentId, customer } = intent
  const card = paymentMethod?.card
  const rows: readonly (readonly [string, unknown])[] = [
    ['Created', timeText(intent.createdAt)],
    finalizedAt ? ['Final since', timeText(finalizedAt)] : ['Deadline', timeText(expiresAt)],
    ['Card', card && `${card.brand} •••• ${card.last4}, ${card.expMonth}/${card.expYear}`],
    ['Waits for', nextAction && `${nextAction.type} until ${timeText(nextAction.expiresAt)}`],
    ['Settles', settlement && timeText(settlement.at)],
    [
      'Last failure',
      lastPaymentFailure && (lastPaymentFailure.declineCode ?? lastPaymentFailure.code),
    ],
    ['Provider id', providerPaymentId && html`<code>${providerPaymentId}</code>`],
    ['Customer', customer && html`<bdi>${customer.name ?? customer.email ?? customer.id}</bdi>`],
    ['Confirmations', confirms || null],
    ['Replays until', replayUntil ? timeText(replayUntil) : 'never: no Idempotency-Key'],
    ['clientSecret', html`<span class="masked">derived, never stored</span>`],
  ]
  return html`<dl>${rows.map(([name, value]) =>
    value ? html`<div><dt>${name}</dt><dd>${value}</dd></div>` : nothing,
  )}</dl>`
}

function timeline({ intent, events }: Detail): TemplateResult {
  const steps = [
    { text: 'Created by the merchant', status: 'requires_payment_method', at: intent.createdAt },
    ...events.map(({ cause, status, createdAt }) => ({
      text: causeWords(cause),
      status,
      at: createdAt,
    })),
  ]
  return html`<ol class="timeline">${steps.map(({ text, status, at }, index) => {
    const before = steps[index - 1]
    const span = before ? spanText(Date.parse(at) - Date.parse(before.at)) : ''
    return html`<li data-tone=${statusWords(status).tone}>
      <span class="what">${text}</span>
      <span class="to"><code>${status}</code></span>
      <time datetime=${at}>${timeText(at)}${span ? html` <i>${span}</i>` : nothing}</time>
    </li>`
  })}</ol>`
}
