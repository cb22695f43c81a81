/** One intent: its facts, outcomes, timeline, and requests. @module */
import { html, nothing, type TemplateResult } from 'lit'
import type { ShownIntent, SimulatedOutcome } from '../../shared/sandbox-api.ts'
import { badge, type Line, line, name } from './markup.ts'
import { lineOfRequest } from './request-line.ts'
import type { Sandbox } from './sandbox.ts'
import { money, text, time } from './show.ts'

export function intentDetail(sandbox: Sandbox, detail: ShownIntent): TemplateResult {
  const { intent, requests, expiresAt, finalizedAt, settlement } = detail
  const { customer } = intent
  const end = finalizedAt
    ? `Final since ${time(finalizedAt)}`
    : `${settlement ? 'Succeeds' : 'Expires'} ${time(settlement?.at ?? expiresAt)}`
  return html`<section class="stack detail" aria-label="Intent">
      <header class="box stack">
        <div class="row between"><h1>${name(intent.orderId)}</h1>
          <b class="title">${money(intent.amount, intent.currency)}</b></div>
        <p class="row hint">${badge(intent.status)} <span>${end}</span>
          ${customer ? html`<span>${name(customer.name ?? customer.email ?? customer.id)}</span>` : nothing} <code>${intent.id}</code></p>
        ${finalizedAt ? nothing : outcomeButtons(sandbox, intent.id)}
      </header>
      <h2>Timeline</h2>
      <ol class="box lines">${timeline(detail).map(line)}</ol>
      <h2>Requests</h2>
      ${
        requests.length > 0
          ? html`<ul class="box lines">${requests.map((request) => line(withoutOrder(lineOfRequest(sandbox, request))))}</ul>`
          : html`<p class="hint">The log has no request about this intent.</p>`
      }
    </section>`
}

/** Of a request below its order. */
function withoutOrder({ notes: [operation, ...notes], ...line }: Line): Line {
  return { ...line, title: operation, amount: '', notes }
}

/** What moves it on without a buyer. The service rejects what the status does not allow. */
function outcomeButtons(sandbox: Sandbox, id: string): TemplateResult {
  const settle = (outcome: SimulatedOutcome) =>
    sandbox.act('POST', `/intents/${id}/settle`, { outcome })
  return html`<p class="hint">Simulate what the bank, the buyer, or time does:</p>
    <div class="row" role="group" aria-label="Simulate an outcome">${outcomes.map(
      ([outcome, label, hint]) =>
        html`<button type="button" title=${hint} @click=${() => settle(outcome)}>${label}</button>`,
    )}</div>`
}

const outcomes: readonly (readonly [SimulatedOutcome, label: string, hint: string])[] = [
  ['succeeded', 'Succeed', 'The buyer pays with a valid card, and the bank accepts'],
  ['declined', 'Decline', 'The bank declines, and the buyer can try again'],
  ['failed', 'Fail', 'The bank declines for good: the intent is final'],
  ['requires_action', 'Challenge', 'The bank asks for a code'],
  ['processing', 'Process', 'The bank decides later: until you choose'],
  ['canceled', 'Cancel', 'The buyer cancels'],
  ['expired', 'Expire', 'As after 24 hours'],
]

/** The transitions, with card and decline reason. */
function timeline({ intent, events, confirmations }: ShownIntent): readonly Line[] {
  // The events after a confirmation belong to it.
  let confirmed = 0
  const created = { cause: 'created', status: 'requires_payment_method', at: intent.createdAt }
  return [created, ...events].map(({ cause, status, at }) => {
    if (cause === 'confirmed') confirmed++
    const { paymentMethod, failure } = confirmations[confirmed - 1] ?? {}
    const { type, card } = paymentMethod ?? {}
    const why = failed.has(cause) && failure && (failure.declineCode ?? failure.code)
    return {
      title: causes.get(cause) ?? text(cause),
      badge: badge(status),
      notes: [
        ...(type ? [text(card ? `${card.brand} •••• ${card.last4}` : type)] : []),
        ...(why ? [html`<code class="error">${text(why)}</code>`] : []),
      ],
      at,
    }
  })
}

const failed: ReadonlySet<string> = new Set(['declined', 'challenge_failed', 'challenge_timed_out'])

const causes: ReadonlyMap<string, string> = new Map([
  ['created', 'Your server created it'],
  ['confirmed', 'The buyer confirmed'],
  ['challenge_passed', 'The buyer passed the challenge'],
  ['challenge_failed', 'The challenge failed'],
  ['challenge_timed_out', 'The challenge timed out'],
  ['authorised', 'The bank authorized'],
  ['declined', 'The bank declined'],
  ['canceled', 'The buyer canceled'],
  ['expired', 'The time to pay ended'],
  ['revoked', 'The clientSecret was revoked'],
])
