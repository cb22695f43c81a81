/**
 * The transitions of an intent, with card and decline reason.
 *
 * @module
 */
import { html, nothing, type TemplateResult } from 'lit'
import type { Confirmation, IntentEvent, ShownIntent } from '../../shared/sandbox-api.ts'
import { causeLabel, spanText, timeText, toneOf } from './labels.ts'

interface Step {
  readonly text: string
  readonly status: string
  readonly at: string
  /** `visa •••• 0002` */
  readonly card?: string | undefined
  /** `insufficient_funds` */
  readonly reason?: string | undefined
}

export function timeline(detail: ShownIntent): TemplateResult {
  const steps = stepsOf(detail)
  return html`<ol class="timeline">${steps.map(({ text, status, at, card, reason }, index) => {
    const before = steps[index - 1]
    const span = before ? spanText(Date.parse(at) - Date.parse(before.at)) : ''
    return html`<li data-tone=${reason ? 'bad' : toneOf(status)}>
      <span class="what">${text}</span>
      <span class="hint to"><code>${status}</code>${card ? html` · ${card}` : nothing}${
        reason ? html` · <code class="why">${reason}</code>` : nothing
      }</span>
      <time class="hint" datetime=${at}>${timeText(at)}${span ? html` <i>${span}</i>` : nothing}</time>
    </li>`
  })}</ol>`
}

function stepsOf({ intent, events, attempts }: ShownIntent): readonly Step[] {
  const created = 'Created'
  const steps: Step[] = [{ text: created, status: 'requires_payment_method', at: intent.createdAt }]
  // The events after a confirmation belong to it.
  let confirmations = 0
  for (const event of events) {
    if (event.cause === 'confirmed') confirmations++
    const confirmation = attempts[confirmations - 1]
    const { cause, status, createdAt: at } = event
    steps.push({
      text: causeLabel(cause),
      status,
      at,
      card: confirmation && cardOf(confirmation),
      reason: confirmation && reasonOf(confirmation, event),
    })
  }
  return steps
}

function cardOf({ paymentMethod: { type, card } }: Confirmation): string {
  return card ? `${card.brand} •••• ${card.last4}` : type
}

/** The provider's decline reason. A lost or stolen card is shown to the buyer as a generic decline. */
function reasonOf({ failure, outcome }: Confirmation, { cause }: IntentEvent): string | undefined {
  if (!failure || !failed.has(cause)) return undefined
  const shown = failure.declineCode ?? failure.code
  const [, reason = shown] = cause === 'declined' ? outcome.split(':') : []
  return reason === shown ? shown : `${reason}, shown as ${shown}`
}

const failed: ReadonlySet<string> = new Set(['declined', 'challenge_failed', 'challenge_timed_out'])
