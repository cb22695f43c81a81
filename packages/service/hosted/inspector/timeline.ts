/** The transitions of an intent, with card and decline reason. @module */
import { html, nothing, type TemplateResult } from 'lit'
import type { Confirmation, ShownIntent } from '../../shared/sandbox-api.ts'
import { causeLabel, spanText, timeText, toneOf } from './labels.ts'

export function timeline({ intent, events, confirmations }: ShownIntent): TemplateResult {
  const createdAt = String(intent.createdAt)
  let before = createdAt
  // The events after a confirmation belong to it.
  let confirmed = 0
  const created = { cause: 'created', status: 'requires_payment_method', createdAt }
  return html`<ol class="timeline">${[created, ...events].map(
    ({ cause, status, createdAt: at }) => {
      if (cause === 'confirmed') confirmed++
      const confirmation = confirmations[confirmed - 1]
      const card = confirmation && cardOf(confirmation)
      const reason = confirmation && reasonOf(confirmation, cause)
      const span = spanText(Date.parse(at) - Date.parse(before))
      before = at
      return html`<li data-tone=${reason ? 'bad' : toneOf(status)}>
      <span class="what dot">${causeLabel(cause)}</span>
      <time class="hint" datetime=${at}>${span ? `${span} · ` : nothing}${timeText(at)}</time>
      <span class="hint to"><code>${status}</code>${card ? html` · ${card}` : nothing}${
        reason ? html` · <code class="why">${reason}</code>` : nothing
      }</span>
    </li>`
    },
  )}</ol>`
}

function cardOf({ paymentMethod: { type, card } }: Confirmation): string {
  return card ? `${card.brand} •••• ${card.last4}` : type
}

/** The provider's decline reason. A lost or stolen card is shown to the buyer as a generic decline. */
function reasonOf({ failure, outcome }: Confirmation, cause: string): string | undefined {
  if (!failure || !failed.has(cause)) return undefined
  const shown = failure.declineCode ?? failure.code
  const [, reason = shown] = cause === 'declined' ? outcome.split(':') : []
  return reason === shown ? shown : `${reason}, shown as ${shown}`
}

const failed: ReadonlySet<string> = new Set(['declined', 'challenge_failed', 'challenge_timed_out'])
