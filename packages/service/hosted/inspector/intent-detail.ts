/** One intent: its facts, outcomes, timeline, requests, and JSON. @module */
import { html, nothing, type TemplateResult } from 'lit'
import { keyed } from 'lit/directives/keyed.js'
import type { Confirmation, ShownIntent, SimulatedOutcome } from '../../shared/sandbox-api.ts'
import { codeBlock, copyButton, loading, name, statusLabel, toneOf } from './markup.ts'
import { requestRow } from './request.ts'
import type { Sandbox } from './sandbox.ts'
import { lines, money, text, time } from './show.ts'

export function intentDetail(sandbox: Sandbox): TemplateResult {
  const { intent: detail } = sandbox.data
  const content =
    detail === null
      ? html`<p class="empty">No test intent has this id. A reset may have deleted it.</p>`
      : detail
        ? shown(sandbox, detail)
        : loading(sandbox)
  return html`<section class="box stack detail" aria-label="Intent">${content}</section>`
}

function shown(sandbox: Sandbox, detail: ShownIntent): TemplateResult {
  const { intent, requests, expiresAt, finalizedAt, settlement } = detail
  const end = finalizedAt
    ? `Final since ${time(finalizedAt)}`
    : `${settlement ? 'Succeeds' : 'Expires'} ${time(settlement?.at ?? expiresAt)}`
  return html`<header>
      <div class="row between"><h2 class="row" tabindex="-1">${name(intent.orderId)}${statusLabel(intent.status, 'badge')}</h2>
        <p class="amount">${money(intent.amount, intent.currency)}</p></div>
      <p class="row"><code>${intent.id}</code>${copyButton(intent.id, 'Copy id')}</p>
    </header>
    ${actions(sandbox, detail)}
    <h3>Timeline</h3>
    ${timeline(detail)}
    <p class="hint">${end}</p>
    ${
      requests.length > 0
        ? html`<h3>Requests</h3><ul class="box rows">${requests.map((request) => requestRow(sandbox, request))}</ul>`
        : nothing
    }
    <h3>JSON</h3>
    ${codeBlock(lines(intent))}`
}

/** What moves it on: the buyer in a test checkout, or an outcome without a buyer. */
function actions(
  sandbox: Sandbox,
  { intent: { id, status }, finalizedAt, secretRevoked }: ShownIntent,
): unknown {
  if (finalizedAt) return nothing
  const openPage = async (): Promise<void> => {
    // Its cookie comes with the response, so this page sees no secret.
    const checkout = await sandbox.act<{ path: string }>('POST', `/intents/${id}/checkout`)
    if (checkout) open(checkout.path, '_blank')
  }
  const settle = (outcome: SimulatedOutcome) =>
    sandbox.act('POST', `/intents/${id}/settle`, { outcome })
  // A second press must not find another outcome at the same place.
  return keyed(
    `${id} ${status}`,
    html`${
      secretRevoked
        ? nothing
        : html`<p><button type="button" class="primary" @click=${openPage}>Open a test checkout</button></p>`
    }
    <div class="row outcomes" role="group" aria-label="Simulate an outcome">${groups
      .filter(({ from }) => from.includes(status))
      .map(
        ({ title, outcomes }) => html`<div class="stack">
          <span class="hint">${title}</span>
          <div class="row">${outcomes.map(
            ([outcome, label, hint]) =>
              html`<button type="button" class="dot" data-tone=${toneOf(outcome)} title=${hint}
                @click=${() => settle(outcome)}>${label}</button>`,
          )}</div>
        </div>`,
      )}</div>`,
  )
}

interface OutcomeGroup {
  readonly title: string
  /** The statuses that its outcomes can follow. */
  readonly from: readonly string[]
  readonly outcomes: readonly (readonly [SimulatedOutcome, label: string, hint: string])[]
}

const groups: readonly OutcomeGroup[] = [
  {
    title: 'The bank decides',
    from: ['requires_payment_method', 'requires_action', 'processing'],
    outcomes: [
      ['succeeded', 'Succeed', 'The buyer pays with a valid card, and the bank accepts'],
      ['declined', 'Decline', 'The bank declines, and the buyer can try again'],
      ['failed', 'Fail', 'The bank declines for good: the intent is final'],
    ],
  },
  {
    title: 'The bank waits',
    from: ['requires_payment_method'],
    outcomes: [
      ['requires_action', 'Challenge', 'The bank asks for a code'],
      ['processing', 'Process', 'The bank decides later: until you choose'],
    ],
  },
  {
    title: 'The buyer leaves',
    from: ['requires_payment_method', 'requires_action'],
    outcomes: [
      ['canceled', 'Cancel', 'The buyer cancels'],
      ['expired', 'Expire', 'As after 24 hours'],
    ],
  },
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
    const reason = confirmation && reasonOf(confirmation, cause)
    return html`<li data-tone=${reason ? 'bad' : toneOf(status)}><div class="line">
      <b class="what dot">${text(cause)}</b>
      <time class="hint" datetime=${at}>${time(at)}</time>
      <span class="notes hint to"><code>${text(status)}</code>${confirmation ? html` · ${cardOf(confirmation)}` : nothing}${
        reason ? html` · <code class="why">${text(reason)}</code>` : nothing
      }</span>
    </div></li>`
  })
  return html`<ol class="box rows timeline">${items}</ol>`
}

function cardOf({ paymentMethod: { type, card } }: Confirmation): string {
  return text(card ? `${card.brand} •••• ${card.last4}` : type)
}

/** The provider's decline reason. A lost or stolen card is shown to the buyer as a generic decline. */
function reasonOf({ failure, outcome }: Confirmation, cause: string): string | undefined {
  if (!failure || !failed.has(cause)) return undefined
  const shown = failure.declineCode ?? failure.code
  const { decline: reason = shown } = cause === 'declined' ? outcome : {}
  return reason === shown ? shown : `${reason}, shown as ${shown}`
}

const failed: ReadonlySet<string> = new Set(['declined', 'challenge_failed', 'challenge_timed_out'])
