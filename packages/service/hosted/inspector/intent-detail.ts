/**
 * One intent: what it is, where it can be brought, how it got here, and as the merchant reads it.
 *
 * @module
 */
import { html, LitElement, nothing, type TemplateResult } from 'lit'
import { property } from 'lit/decorators.js'
import type { ShownIntent, SimulatedOutcome } from '../../shared/sandbox-api.ts'
import { copyButton } from './copy.ts'
import { exchangeLine } from './exchange-line.ts'
import { everyRequest } from './filters.ts'
import type { ViewState } from './inspector.ts'
import { badge, money } from './intents-view.ts'
import { writeRoute } from './route.ts'
import { timeline } from './timeline.ts'
import { timeText } from './words.ts'

export class IntentDetail extends LitElement {
  @property({ attribute: false }) state: ViewState | undefined

  protected override createRenderRoot(): HTMLElement {
    return this
  }

  #takesFocus = false

  /** Puts the focus on the heading as soon as there is one. */
  takeFocus(): void {
    this.#takesFocus = true
    this.requestUpdate()
  }

  protected override updated(): void {
    const heading = this.#takesFocus && this.querySelector('h2')
    if (!heading) return
    this.#takesFocus = false
    heading.focus()
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
      ${this.#facts(detail)}
      <h3>Timeline</h3>
      ${timeline(detail)}
      ${detail.requests.length > 0 ? this.#requests(detail) : nothing}
      <h3>As the merchant retrieves it</h3>
      <json-text .value=${intent}></json-text>
    </section>`
  }

  #outcomes({ intent: { id, status } }: ShownIntent): TemplateResult | typeof nothing {
    const offers = outcomes.get(status)
    if (!offers) return nothing
    const { live } = this.state ?? {}
    const settle = (outcome: SimulatedOutcome) => async (): Promise<void> => {
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

  #facts({
    intent,
    confirms,
    expiresAt,
    finalizedAt,
    settlement,
    replayUntil,
    secretRevoked,
  }: ShownIntent): TemplateResult {
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
      ['clientSecret', this.#secret(intent.id, secretRevoked)],
    ]
    return html`<dl>${rows.map(([name, value]) =>
      value ? html`<div><dt>${name}</dt><dd>${value}</dd></div>` : nothing,
    )}</dl>`
  }

  /** The newest requests that were about it, each with its way into the log. */
  #requests({ intent: { id }, requests }: ShownIntent): TemplateResult {
    const seek = (): void => void this.state?.live.seekRequests({ ...everyRequest, q: id })
    return html`<h3>Requests</h3>
      <ul class="log">${requests.map(
        (exchange) => html`<li><a class="line"
          href=${writeRoute({ section: 'requests', id: exchange.requestId })}>${exchangeLine(exchange)}</a></li>`,
      )}</ul>
      <p class="hint all"><a href=${writeRoute({ section: 'requests' })} @click=${seek}>All of them in the log</a></p>`
  }

  #secret(id: string, revoked: boolean): TemplateResult {
    if (revoked) return html`<span class="masked">revoked: it opens no checkout</span>`
    const revoke = async (): Promise<void> => {
      await this.state?.live.act(async (api) => await api.revokeSecret(id))
    }
    return html`<span class="masked">never stored</span>
      <button type="button" class="small" title="No checkout opens with it any more" @click=${revoke}>Revoke</button>`
  }
}

type Offer = readonly [SimulatedOutcome, string, string]

const decline: Offer = ['declined', 'Decline', 'The buyer may try again']
const fail: Offer = ['failed', 'Fail for good', 'A hard decline: the intent is final']
const cancel: Offer = ['canceled', 'Cancel', 'As the buyer’s Cancel payment']

const expire: Offer = ['expired', 'Expire', 'As after 24 hours']

/** What can be done to an intent of each status that is not final. */
const outcomes: ReadonlyMap<string, readonly Offer[]> = new Map([
  [
    'requires_payment_method',
    [
      ['succeeded', 'Pay', 'As a buyer with a good card'],
      decline,
      fail,
      ['requires_action', 'At the bank', 'A card whose bank asks the buyer first'],
      ['processing', 'Leave processing', 'Until it is settled here'],
      cancel,
      expire,
    ],
  ],
  [
    'requires_action',
    [
      ['succeeded', 'Confirm at the bank', 'The challenge passes, then it is paid'],
      decline,
      fail,
      cancel,
      expire,
    ],
  ],
  ['processing', [['succeeded', 'Succeed', 'The provider takes the payment'], decline, fail]],
])
