/** One intent: its facts, outcomes, timeline, and requests. @module */
import { html, nothing, type TemplateResult } from 'lit'
import type { Confirmation, ShownIntent, SimulatedOutcome } from '../../shared/sandbox-api.ts'
import { name, statusLabel, toneOf } from './markup.ts'
import { requestRow } from './request-row.ts'
import type { Sandbox } from './sandbox.ts'
import { money, text, time } from './show.ts'

export function intentDetail(sandbox: Sandbox, detail: ShownIntent): TemplateResult {
  const { intent, requests, expiresAt, finalizedAt, settlement } = detail
  const end = finalizedAt
    ? `Final since ${time(finalizedAt)}`
    : `${settlement ? 'Succeeds' : 'Expires'} ${time(settlement?.at ?? expiresAt)}`
  return html`<section class="box stack detail" aria-label="Intent">
    <header>
      <div class="row between"><h2 class="title">${name(intent.orderId)}</h2>
        <b class="title">${money(intent.amount, intent.currency)}</b></div>
      <p class="row between">${statusLabel(intent.status)} <span class="hint">${end}</span></p>
      <code>${intent.id}</code>
    </header>
    ${finalizedAt ? nothing : outcomeButtons(sandbox, intent.id)}
    <h3>Timeline</h3>
    ${timeline(detail)}
    <h3>Requests</h3>
    ${
      requests.length > 0
        ? html`<ul class="box rows">${requests.map((request) => requestRow(sandbox, request))}</ul>`
        : html`<p class="hint">The log has no request about this intent.</p>`
    }
  </section>`
}

/** What moves it on without a buyer. The service rejects what the status does not allow. */
function outcomeButtons(sandbox: Sandbox, id: string): TemplateResult {
  const settle = (outcome: SimulatedOutcome) =>
    sandbox.act('POST', `/intents/${id}/settle`, { outcome })
  return html`<div class="row" role="group" aria-label="Simulate an outcome">${outcomes.map(
    ([outcome, label, hint]) =>
      html`<button type="button" class="dot" data-tone=${toneOf(outcome)} title=${hint}
        @click=${() => settle(outcome)}>${label}</button>`,
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
function timeline({ intent, events, confirmations }: ShownIntent): TemplateResult {
  // The events after a confirmation belong to it.
  let confirmed = 0
  const createdAt = String(intent.createdAt)
  const created = { cause: 'created', status: 'requires_payment_method', at: createdAt }
  const items = [created, ...events].map(({ cause, status, at }) => {
    if (cause === 'confirmed') confirmed++
    const confirmation = confirmations[confirmed - 1]
    const failure = failed.has(cause) ? confirmation?.failure : undefined
    return html`<li class="line" data-tone=${failure ? 'bad' : toneOf(status)}>
      <b class="what dot">${text(cause)}</b>
      <time class="hint" datetime=${at}>${time(at)}</time>
      <span class="notes hint to"><code>${text(status)}</code>${confirmation ? html` · ${cardOf(confirmation)}` : nothing}${
        failure
          ? html` · <code class="why">${text(failure.declineCode ?? failure.code)}</code>`
          : nothing
      }</span>
    </li>`
  })
  return html`<ol class="box rows">${items}</ol>`
}

function cardOf({ paymentMethod: { type, card } }: Confirmation): string {
  return text(card ? `${card.brand} •••• ${card.last4}` : type)
}

const failed: ReadonlySet<string> = new Set(['declined', 'challenge_failed', 'challenge_timed_out'])
