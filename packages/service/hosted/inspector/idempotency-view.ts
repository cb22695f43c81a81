/**
 * How often each idempotency key was used, with replays and conflicts.
 *
 * @module
 */
import { html, type TemplateResult } from 'lit'
import type { KeyUse } from '../../shared/sandbox-api.ts'
import { InspectorView } from './inspector-view.ts'
import { clockText, timeText } from './labels.ts'
import { writeRoute } from './route.ts'

export class IdempotencyView extends InspectorView {
  protected override render(): unknown {
    const uses = this.state.keyUses
    if (uses.length === 0) {
      return html`<div class="box welcome"><h2>No Idempotency-Key yet</h2>
        <p class="hint">Send a create with an Idempotency-Key. A retry with the same key and body returns the
          first intent instead of creating a second one. Each key is listed here with its replays and
          conflicts.</p></div>`
    }
    return html`<p class="tools hint">Since the service started. A replay is a retry that returned the first intent. A conflict
        is a request that used the key with a different body.</p>
      <div class="scroll"><table>
        <thead><tr><th scope="col">Key</th><th scope="col">Intent</th><th scope="col" class="number">Requests</th>
          <th scope="col" class="number">Replays</th><th scope="col" class="number">Conflicts</th>
          <th scope="col" class="number">Waits</th><th scope="col">Last</th></tr></thead>
        <tbody>${uses.map((use) => this.#row(use))}</tbody>
      </table></div>`
  }

  #row(use: KeyUse): TemplateResult {
    const { key, intentId, requests, replays, conflicts, waits, lastAt } = use
    const orderId = this.state.findIntent(intentId)?.orderId
    return html`<tr>
      <td><code>${key}</code></td>
      <td>${
        intentId
          ? html`<a href=${writeRoute({ section: 'intents', id: intentId })}><bdi>${orderId ?? intentId}</bdi></a>`
          : 'none'
      }</td>
      <td class="number">${requests}</td>
      <td class="number">${replays || 0}</td>
      <td class="number">${conflicts ? html`<span class="badge" data-tone="bad">${conflicts}</span>` : 0}</td>
      <td class="number">${waits || 0}</td>
      <td><time datetime=${lastAt} title=${timeText(lastAt)}>${clockText(lastAt)}</time></td>
    </tr>`
  }
}
