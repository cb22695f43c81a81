/** One intent: its facts, outcomes, timeline, and requests. @module */
import { html, nothing, type TemplateResult } from 'lit'
import { repeat } from 'lit/directives/repeat.js'
import type { ShownIntent, SimulatedOutcome } from '../../shared/sandbox-api.ts'
import { amountOf, badge, customerOf, facts, type Line, line, name } from './markup.ts'
import { lineOfRequest } from './request-line.ts'
import type { Sandbox } from './sandbox.ts'
import { text, time } from './show.ts'

export function intentDetail(sandbox: Sandbox, detail: ShownIntent): TemplateResult {
  const { intent, requests, dueAt, finalizedAt, outcomes } = detail
  return html`<section class="stack detail" aria-label="Intent">
      <header class="box stack">
        <div class="row between"><h1 class="row">${name(intent.orderId)} ${badge(intent.status)}</h1>
          <b class="title">${amountOf(intent)}</b></div>
        ${facts({
          'Payment Intent': html`<code>${intent.id}</code>`,
          Customer: customerOf(intent),
          'Waits until': dueAt && time(dueAt),
          'Final since': finalizedAt && time(finalizedAt),
        })}
        ${outcomes.length > 0 ? outcomeButtons(sandbox, detail) : nothing}
      </header>
      <h2>Timeline</h2>
      <ol class="box lines">${timeline(detail).map(line)}</ol>
      <h2>Requests</h2>
      ${
        requests.length > 0
          ? html`<ul class="box lines">${requests.toReversed().map((request) => line(withoutOrder(lineOfRequest(sandbox, request))))}</ul>`
          : html`<p class="hint">The log has no request about this intent.</p>`
      }
    </section>`
}

/** Of a request below its order. */
function withoutOrder({ notes: [operation, ...notes], ...line }: Line): Line {
  return { ...line, title: operation, amount: '', notes }
}

/** What moves it on without a buyer. */
function outcomeButtons(sandbox: Sandbox, { intent, outcomes }: ShownIntent): TemplateResult {
  const settle = (outcome: SimulatedOutcome) =>
    sandbox.act('POST', `/intents/${intent.id}/settle`, { outcome })
  return html`<p class="hint">Simulate what the bank, the buyer, or time does:</p>
    <div class="row" role="group" aria-label="Simulate an outcome">${repeat(
      outcomes,
      // The focus never passes to another outcome.
      (outcome) => outcome,
      (outcome) =>
        html`<button type="button" @click=${() => settle(outcome)}>${labels[outcome]}</button>`,
    )}</div>`
}

const labels: Readonly<Record<SimulatedOutcome, string>> = {
  succeeded: 'Succeed',
  declined: 'Decline',
  failed: 'Fail for good',
  requires_action: 'Challenge',
  processing: 'Process',
  canceled: 'Cancel',
  expired: 'Expire',
}

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
      title: causes.get(`${cause} ${status}`) ?? causes.get(cause) ?? text(cause),
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
  ['declined failed', 'The bank declined for good'],
  ['canceled', 'The buyer canceled'],
  ['expired', 'The time to pay ended'],
  ['revoked', 'The clientSecret was revoked'],
])
