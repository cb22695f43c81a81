/** One intent: its facts, simulated outcomes, timeline, requests, and JSON. @module */
import { html, nothing, type TemplateResult } from 'lit'
import type { ShownIntent, SimulatedOutcome, TestCheckout } from '../../shared/sandbox-api.ts'
import { codeBlock, copyButton, jsonBlock } from './code-block.ts'
import { curlOfOutcome } from './curl.ts'
import { anyRequest } from './filters.ts'
import { DetailView } from './inspector-view.ts'
import { customerName, money, statusLabel, timeText } from './labels.ts'
import { facts } from './markup.ts'
import { requestLog } from './request-line.ts'
import { writeRoute } from './route.ts'
import { timeline } from './timeline.ts'

export class IntentDetail extends DetailView {
  /** Whether each outcome shows the command that simulates it. */
  #showsCurl = false

  protected override render(): unknown {
    const { detail, isMissing } = this.state
    const back = html`<a class="back" href=${writeRoute({ section: 'intents' })}>← All intents</a>`
    if (!detail) {
      const text = isMissing ? 'This intent does not exist.' : 'Loading…'
      return html`<section class="box stack">${back}<p class="empty">${text}</p></section>`
    }
    const { intent } = detail
    return html`<section class="box stack" aria-label=${`Intent of order ${intent.orderId}`}>
      ${back}
      <header>
        <div class="row"><h2 tabindex="-1"><bdi>${intent.orderId}</bdi></h2>${statusLabel(intent.status, 'badge')}</div>
        <p class="amount">${money(intent.amount, intent.currency)}</p>
        <p class="row"><code>${intent.id}</code>${copyButton(intent.id, 'Copy id')}</p>
      </header>
      ${this.#facts(detail)}
      <h3>Timeline</h3>
      ${timeline(detail)}
      ${this.#checkout(detail)} ${this.#outcomes(detail)}
      ${detail.requests.length > 0 ? this.#requests(detail) : nothing}
      <h3>JSON</h3>
      ${jsonBlock(intent)}
    </section>`
  }

  /** Opens the hosted page in a new tab. Its cookie comes with the response, so this page sees no secret. */
  #checkout({ intent: { id }, finalizedAt, secretRevoked }: ShownIntent): unknown {
    if (finalizedAt || secretRevoked) return nothing
    const openPage = async (): Promise<void> => {
      const checkout = await this.state.send<TestCheckout>('POST', `/intents/${id}/checkout`)
      // Not noopener, so that the tab has the token when it returns.
      if (checkout) open(checkout.path, '_blank')
    }
    return html`<p><button type="button" @click=${openPage}>Open a test checkout</button></p>`
  }

  #outcomes({ intent: { id, status } }: ShownIntent): TemplateResult | typeof nothing {
    const groups = outcomes[status]
    if (!groups) return nothing
    const simulate = async (outcome: SimulatedOutcome): Promise<void> => {
      await this.state.simulate(id, outcome)
      // If the pressed button was removed, keyboard users would lose their position.
      await this.updateComplete
      if (document.activeElement === document.body) this.querySelector('h2')?.focus()
    }
    return html`<div class="row"><h3 id="outcomes">Simulate an outcome</h3>
      <button type="button" class="small" aria-expanded=${this.#showsCurl ? 'true' : 'false'}
        @click=${this.#switchCurl}>curl</button></div>
    <div class=${this.#showsCurl ? 'stack' : 'outcomes columns'} role="group" aria-labelledby="outcomes">
      ${Object.entries(groups).map(
        ([by, offers]) =>
          html`<section><h4>${by}</h4><ul class="columns">${offers.map(
            ([outcome, text, hint]) => html`<li>
            <button type="button" ?disabled=${this.state.simulating}
              @click=${() => simulate(outcome)}>${text}</button>
            <p class="hint">${hint}</p>
            ${this.#showsCurl ? codeBlock(curlOfOutcome(location.origin, id, outcome)) : nothing}</li>`,
          )}</ul></section>`,
      )}
    </div>`
  }

  readonly #switchCurl = (): void => {
    this.#showsCurl = !this.#showsCurl
    this.requestUpdate()
  }

  #facts(detail: ShownIntent): TemplateResult {
    const { intent, confirmations, expiresAt, finalizedAt, settlement, replayUntil } = detail
    const { paymentMethod, lastPaymentFailure: failure, nextAction } = intent
    const { providerPaymentId, customer } = intent
    const card = paymentMethod?.card
    return facts([
      ['Created', timeText(String(intent.createdAt))],
      finalizedAt ? ['Final since', timeText(finalizedAt)] : ['Deadline', timeText(expiresAt)],
      ['Card', card && `${card.brand} •••• ${card.last4}, ${card.expMonth}/${card.expYear}`],
      ['Next action', nextAction && `${nextAction.type} until ${timeText(nextAction.expiresAt)}`],
      ['Succeeds', settlement && timeText(settlement.at)],
      ['Last failure', failure && (failure.declineCode ?? failure.code)],
      ['Provider id', providerPaymentId && html`<code>${providerPaymentId}</code>`],
      ['Customer', customer && customerName(customer)],
      ['Confirmations', confirmations.length || null],
      ['Replays until', replayUntil ? timeText(replayUntil) : noReplay],
      ['clientSecret', this.#secret(detail)],
    ])
  }

  /** The newest requests about it, with links to the log. */
  #requests({ intent: { id }, requests }: ShownIntent): TemplateResult {
    const search = (): void => this.state.searchRequests({ ...anyRequest, q: id })
    return html`<h3>Requests</h3>
      ${requestLog(requests)}
      <p class="hint"><a href=${writeRoute({ section: 'requests' })} @click=${search}>All requests in the log</a></p>`
  }

  #secret({ intent: { id }, secretRevoked }: ShownIntent): TemplateResult {
    if (secretRevoked) return html`<span class="hint">Revoked. A checkout needs a new intent</span>`
    const revoke = () => this.state.send('POST', `/intents/${id}/revoke-secret`)
    return html`<span class="hint">Hidden</span>
      <button type="button" class="small" title="Stops it from opening the checkout" @click=${revoke}>Revoke</button>`
  }
}

const noReplay = 'Not possible without Idempotency-Key'

type Offer = readonly [outcome: SimulatedOutcome, label: string, hint: string]

const decline: Offer = ['declined', 'Decline', 'The buyer can try again']
const fail: Offer = ['failed', 'Fail', 'A hard decline: the intent is final']
const process: Offer = ['processing', 'Keep processing', 'Until you simulate an outcome']
const succeed: Offer = ['succeeded', 'Succeed', 'The provider accepts the payment']
const cancel: Offer = ['canceled', 'Cancel', 'As if the buyer cancels']
const pay: Offer = ['succeeded', 'Pay', 'With a valid card']
const challenge: Offer = ['requires_action', 'Challenge', 'The bank asks for a code']
const pass: Offer = ['succeeded', 'Pass challenge', 'With the right code, so the payment succeeds']
const expire: Offer = ['expired', 'Expire', 'As after 24 hours']

/** The simulated outcomes of each status that is not final, by what causes them. */
const outcomes: Readonly<Record<string, Readonly<Record<string, readonly Offer[]>>>> = {
  requires_payment_method: {
    Buyer: [pay, challenge, cancel],
    Bank: [decline, fail, process],
    Time: [expire],
  },
  requires_action: { Buyer: [pass, cancel], Bank: [decline, fail], Time: [expire] },
  processing: { Bank: [succeed, decline, fail] },
}
