/**
 * How an intent got where it is: every transition, with the card it was about and why it was declined.
 *
 * @module
 */
import { html, nothing, type TemplateResult } from 'lit'
import type { Confirmation, IntentEvent, ShownIntent } from '../../shared/sandbox-api.ts'
import { causeWords, spanText, statusWords, timeText } from './words.ts'

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
    return html`<li data-tone=${reason ? 'bad' : statusWords(status).tone}>
      <span class="what">${text}</span>
      <span class="to"><code>${status}</code>${card ? html` · ${card}` : nothing}${
        reason ? html` · <code class="why">${reason}</code>` : nothing
      }</span>
      <time datetime=${at}>${timeText(at)}${span ? html` <i>${span}</i>` : nothing}</time>
    </li>`
  })}</ol>`
}

function stepsOf({ intent, events, attempts }: ShownIntent): readonly Step[] {
  const created = 'Created by the merchant'
  const steps: Step[] = [{ text: created, status: 'requires_payment_method', at: intent.createdAt }]
  // Each confirmation opens the next attempt, and all that follows is of that one.
  let confirmed = 0
  for (const event of events) {
    if (event.cause === 'confirmed') confirmed++
    const attempt = attempts[confirmed - 1]
    const { cause, status, createdAt: at } = event
    steps.push({
      text: causeWords(cause),
      status,
      at,
      card: attempt && cardOf(attempt),
      reason: attempt && reasonOf(attempt, event),
    })
  }
  return steps
}

function cardOf({ paymentMethod: { type, card } }: Confirmation): string {
  return card ? `${card.brand} •••• ${card.last4}` : type
}

/** What the provider said; the buyer of a lost or stolen card reads of a plain decline. */
function reasonOf({ failure, outcome }: Confirmation, { cause }: IntentEvent): string | undefined {
  if (!failure || !failed.has(cause)) return undefined
  const read = failure.declineCode ?? failure.code
  const [, meant = read] = cause === 'declined' ? outcome.split(':') : []
  return meant === read ? read : `${meant}, shown as ${read}`
}

const failed: ReadonlySet<string> = new Set(['declined', 'challenge_failed', 'challenge_timed_out'])
