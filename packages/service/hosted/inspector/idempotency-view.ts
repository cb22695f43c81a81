/** How often each idempotency key was used, with replays and conflicts. @module */
import { html, type TemplateResult } from 'lit'
import type { KeyUse } from '../../shared/sandbox-api.ts'
import type { InspectorState } from './inspector-state.ts'
import { clockText, timeText } from './labels.ts'
import { emptySection, intentLink, keyLink } from './markup.ts'

export function idempotencyView(state: InspectorState): TemplateResult {
  const { keys = [] } = state.lists.idempotency ?? {}
  if (keys.length === 0) {
    return emptySection(
      'No Idempotency-Key yet',
      html`<p class="hint">Send a create with an Idempotency-Key. A retry with the same key and body returns the
        first intent instead of creating a second one. Each key is listed here with its replays and
        conflicts.</p>`,
    )
  }
  return html`<p class="tools row hint">A replay is a retry that returned the first intent. A conflict
      is a request that used the key with a different body. A lost response is one whose connection
      closed first.</p>
    <div class="scroll"><table>
      <thead><tr>${columns.map((name) => html`<th scope="col">${name}</th>`)}</tr></thead>
      <tbody>${keys.map((use) => row(state, use))}</tbody>
    </table></div>`
}

function row(state: InspectorState, use: KeyUse): TemplateResult {
  const { key, intentId, orderId, requests, replays, conflicts, waits, lost, lastAt } = use
  const cells = [
    keyLink(state, key),
    intentId ? intentLink(intentId, html`<bdi>${orderId ?? intentId}</bdi>`) : 'none',
    requests,
    replays || '–',
    conflicts ? html`<span class="badge" data-tone="bad">${conflicts}</span>` : '–',
    waits || '–',
    lost ? html`<span class="badge" data-tone="waiting">${lost}</span>` : '–',
    html`<time datetime=${lastAt} title=${timeText(lastAt)}>${clockText(lastAt)}</time>`,
  ]
  return html`<tr>${cells.map((cell, at) => html`<td data-column=${columns[at]}>${cell}</td>`)}</tr>`
}

const columns = [
  'Key',
  'Intent',
  'Requests',
  'Replays',
  'Conflicts',
  '409 in use',
  'Lost responses',
  'Last',
]
