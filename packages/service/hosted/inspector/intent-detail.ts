/** One intent: its facts, outcomes, timeline, requests, and JSON. @module */
import { html, nothing, type TemplateResult } from 'lit'
import { keyed } from 'lit/directives/keyed.js'
import type { ShownIntent, SimulatedOutcome } from '../../shared/sandbox-api.ts'
import { statusLabel } from './labels.ts'
import { codeBlock, copyButton, loading, name } from './markup.ts'
import { requestRow } from './request-row.ts'
import type { Sandbox } from './sandbox.ts'
import { lines, money, time } from './show.ts'
import { timeline } from './timeline.ts'

export function intentDetail(sandbox: Sandbox): TemplateResult {
  const { intent: detail } = sandbox.data
  const content =
    detail === null
      ? html`<p class="empty">This intent does not exist.</p>`
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
        ? html`<h3>Requests</h3><ul class="rows">${requests.map((request) => requestRow(sandbox, request))}</ul>`
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
    html`<div class="row outcomes" role="group" aria-label="Simulate an outcome">
      ${(outcomes.get(status) ?? []).map(
        ([outcome, label, hint]) =>
          html`<button type="button" title=${hint} @click=${() => settle(outcome)}>${label}</button>`,
      )}
      ${secretRevoked ? nothing : html`<button type="button" class="primary" @click=${openPage}>Open a test checkout</button>`}
    </div>`,
  )
}

type Offer = readonly [outcome: SimulatedOutcome, label: string, hint: string]

const decline: Offer = ['declined', 'Decline', 'The bank declines, and the buyer can try again']
const fail: Offer = ['failed', 'Fail', 'The bank declines for good: the intent is final']
const cancel: Offer = ['canceled', 'Cancel', 'The buyer cancels']
const expire: Offer = ['expired', 'Expire', 'As after 24 hours']

/** The outcomes of each status that is not final. */
const outcomes: ReadonlyMap<string, readonly Offer[]> = new Map<string, readonly Offer[]>([
  [
    'requires_payment_method',
    [
      ['succeeded', 'Pay', 'The buyer pays with a valid card'],
      ['requires_action', 'Challenge', 'The bank asks for a code'],
      decline,
      fail,
      ['processing', 'Keep processing', 'The bank decides later: until you choose'],
      cancel,
      expire,
    ],
  ],
  [
    'requires_action',
    [
      ['succeeded', 'Pass challenge', 'The buyer enters the right code'],
      decline,
      fail,
      cancel,
      expire,
    ],
  ],
  ['processing', [['succeeded', 'Succeed', 'The bank accepts the payment'], decline, fail]],
])
