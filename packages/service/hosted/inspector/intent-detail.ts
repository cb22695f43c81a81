/**
 * One intent: its facts, simulated outcomes, timeline, requests, and JSON.
 *
 * @module
 */
import { html, nothing, type TemplateResult } from 'lit'
import type { ShownIntent, SimulatedOutcome } from '../../shared/sandbox-api.ts'
import { copyButton } from './copy.ts'
import { anyRequest } from './filters.ts'
import { InspectorView } from './inspector-view.ts'
import { badge, money, timeText } from './labels.ts'
import { requestLine } from './request-line.ts'
import { writeRoute } from './route.ts'
import { timeline } from './timeline.ts'

export class IntentDetail extends InspectorView {
  #focusPending = false

  /** Moves the focus to the heading as soon as it is rendered. */
  takeFocus(): void {
    this.#focusPending = true
    this.requestUpdate()
  }

  protected override updated(): void {
    const heading = this.#focusPending && this.querySelector('h2')
    if (!heading) return
    this.#focusPending = false
    heading.focus()
  }

  protected override render(): unknown {
    const { detail, openId } = this.state
    const back = html`<a class="back" href=${writeRoute({ section: 'intents' })}>All intents</a>`
    if (!detail) {
      const text = openId ? 'Loading…' : 'This intent does not exist.'
      return html`<section class="box detail">${back}<p class="empty">${text}</p></section>`
    }
    const { intent } = detail
    return html`<section class="box detail" aria-label=${`Intent of order ${intent.orderId}`}>
      ${back}
      <header>
        <div><h2 tabindex="-1"><bdi>${intent.orderId}</bdi></h2>${badge(intent.status)}</div>
        <p class="amount">${money(intent.amount, intent.currency)}</p>
        <p class="id"><code>${intent.id}</code>${copyButton('Copy id', () => intent.id)}</p>
      </header>
      ${this.#outcomes(detail)} ${this.#facts(detail)}
      <h3>Timeline</h3>
      ${timeline(detail)}
      ${detail.requests.length > 0 ? this.#requests(detail) : nothing}
      <h3>JSON</h3>
      <json-text .value=${intent}></json-text>
    </section>`
  }

  #outcomes({ intent: { id, status } }: ShownIntent): TemplateResult | typeof nothing {
    const offers = outcomes.get(status)
    if (!offers) return nothing
    const simulate = (outcome: SimulatedOutcome) => async (): Promise<void> => {
      await this.state.simulate(id, outcome)
      // If the pressed button was removed, keyboard users would lose their position.
      await this.updateComplete
      if (document.activeElement === document.body) this.querySelector('h2')?.focus()
    }
    return html`<div class="buttons" role="group" aria-label="Simulate an outcome">
      ${offers.map(
        ([outcome, text, hint]) =>
          html`<button type="button" data-outcome=${outcome} title=${hint} class=${buttonClasses.get(outcome) ?? nothing} ?disabled=${this.state.simulating}
            @click=${simulate(outcome)}>${text}</button>`,
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
      ['Next action', nextAction && `${nextAction.type} until ${timeText(nextAction.expiresAt)}`],
      ['Succeeds', settlement && timeText(settlement.at)],
      [
        'Last failure',
        lastPaymentFailure && (lastPaymentFailure.declineCode ?? lastPaymentFailure.code),
      ],
      ['Provider id', providerPaymentId && html`<code>${providerPaymentId}</code>`],
      ['Customer', customer && html`<bdi>${customer.name ?? customer.email ?? customer.id}</bdi>`],
      ['Confirmations', confirms || null],
      [
        'Replays until',
        replayUntil ? timeText(replayUntil) : 'Not possible without Idempotency-Key',
      ],
      ['clientSecret', this.#secret(intent.id, secretRevoked)],
    ]
    return html`<dl>${rows.map(([name, value]) =>
      value ? html`<div><dt>${name}</dt><dd>${value}</dd></div>` : nothing,
    )}</dl>`
  }

  /** The newest requests about it, with links to the log. */
  #requests({ intent: { id }, requests }: ShownIntent): TemplateResult {
    const search = (): void => void this.state.searchRequests({ ...anyRequest, q: id })
    return html`<h3>Requests</h3>
      <ul class="log">${requests.map(
        (request) => html`<li><a class="line"
          href=${writeRoute({ section: 'requests', id: request.requestId })}>${requestLine(request)}</a></li>`,
      )}</ul>
      <p class="hint all"><a href=${writeRoute({ section: 'requests' })} @click=${search}>All requests in the log</a></p>`
  }

  #secret(id: string, revoked: boolean): TemplateResult {
    if (revoked) return html`<span class="hint">Revoked: it opens no checkout</span>`
    const revoke = async (): Promise<void> => {
      await this.state.run(async (api) => await api.send('POST', `/intents/${id}/revoke-secret`))
    }
    return html`<span class="hint">Not stored</span>
      <button type="button" class="small" title="Stops it from opening the checkout" @click=${revoke}>Revoke</button>`
  }
}

type Offer = readonly [outcome: SimulatedOutcome, label: string, hint: string]

const buttonClasses: ReadonlyMap<SimulatedOutcome, string> = new Map([
  ['succeeded', 'primary'],
  ['failed', 'danger'],
])

const decline: Offer = ['declined', 'Decline', 'The buyer can try again']
const fail: Offer = ['failed', 'Fail', 'A hard decline: the intent is final']
const cancel: Offer = ['canceled', 'Cancel', 'As if the buyer cancels']

const expire: Offer = ['expired', 'Expire', 'As after 24 hours']

/** The simulated outcomes of each status that is not final. */
const outcomes: ReadonlyMap<string, readonly Offer[]> = new Map([
  [
    'requires_payment_method',
    [
      ['succeeded', 'Pay', 'As if the buyer pays with a valid card'],
      decline,
      fail,
      ['requires_action', 'Challenge', 'A card whose bank opens a challenge'],
      ['processing', 'Process', 'Stays processing until you simulate an outcome'],
      cancel,
      expire,
    ],
  ],
  [
    'requires_action',
    [
      ['succeeded', 'Pass challenge', 'The challenge passes, then the payment succeeds'],
      decline,
      fail,
      cancel,
      expire,
    ],
  ],
  ['processing', [['succeeded', 'Succeed', 'The provider accepts the payment'], decline, fail]],
])
