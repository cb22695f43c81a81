/** The transitions of an intent, with card and decline reason. @module */
import { html, nothing, type TemplateResult } from 'lit'
import type { Confirmation, ShownIntent } from '../../shared/sandbox-api.ts'
import { toneOf } from './labels.ts'
import { text, time } from './show.ts'

export function timeline({ intent, events, confirmations }: ShownIntent): TemplateResult {
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
  return html`<ol class="rows timeline">${items}</ol>`
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
