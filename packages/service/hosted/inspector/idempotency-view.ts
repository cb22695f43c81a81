/** How often each idempotency key was used, with replays and conflicts. @module */
import { html, nothing, type TemplateResult } from 'lit'
import type { KeyUse } from '../../shared/sandbox-api.ts'
import { anyKey } from './filters.ts'
import type { InspectorState } from './inspector-state.ts'
import { clockText, timeText } from './labels.ts'
import { emptySection, intentLink, keyLink, noMatch, searchField, selectField } from './markup.ts'

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
  const { q, show } = state.keyFilter
  const text = q.trim().toLowerCase()
  const shown = keys.filter(
    ({ key, orderId, intentId, ...use }) =>
      (show === '' || use[show] > 0) &&
      [key, orderId, intentId].some((each) => each?.toLowerCase().includes(text)),
  )
  return html`<div class="filters issues row">
      ${searchField('Search keys', {
        placeholder: 'Key, order, intent id',
        value: q,
        onInput: (q) => state.filterKeys({ q }),
      })}
      ${selectField('Show', {
        options: kinds,
        value: show,
        onChange: (chosen) =>
          state.filterKeys({ show: kinds.find(([kind]) => kind === chosen)?.[0] ?? '' }),
      })}
    </div>
    <p class="tools hint">A replay is a retry that returned the first intent. A conflict is a request that
      used the key with a different body. A lost response is one whose connection closed first.</p>
    ${
      shown.length > 0
        ? html`<ul class="log issues">${shown.map((use) => row(state, use))}</ul>`
        : noMatch({
            text: 'No matching keys.',
            hint: 'The search looks at keys, orders, and intent ids.',
            onClear: () => state.filterKeys(anyKey),
          })
    }`
}

const kinds = [
  ['', 'All keys'],
  ['replays', 'Replays'],
  ['conflicts', 'Conflicts'],
  ['lost', 'Lost responses'],
] as const

function row(state: InspectorState, use: KeyUse): TemplateResult {
  const { key, intentId, orderId, requests, replays, conflicts, waits, lost, lastAt } = use
  const counts = [
    [replays, replays === 1 ? 'replay' : 'replays', 'good'],
    [conflicts, conflicts === 1 ? 'conflict' : 'conflicts', 'bad'],
    [waits, '× 409 in use', 'waiting'],
    [lost, lost === 1 ? 'lost response' : 'lost responses', 'waiting'],
  ] as const
  return html`<li class="line">
    <time class="hint" datetime=${lastAt} title=${timeText(lastAt)}>${clockText(lastAt)}</time>
    <span class="hint">${requests} ${requests === 1 ? 'request' : 'requests'}</span>
    <span class="subject">${keyLink(state, key)}</span>
    <span class="row">${counts.map(([count, name, tone]) =>
      count > 0 ? html`<span class="badge" data-tone=${tone}>${count} ${name}</span>` : nothing,
    )}</span>
    <span class="status">${
      intentId ? intentLink(intentId, html`<bdi>${orderId ?? intentId}</bdi>`) : nothing
    }</span>
    <span></span>
  </li>`
}
