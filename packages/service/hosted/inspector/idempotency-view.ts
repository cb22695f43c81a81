/**
 * Which idempotency keys came how often, and what became of them.
 *
 * @module
 */
import { html, LitElement, type TemplateResult } from 'lit'
import { property } from 'lit/decorators.js'
import type { KeyUse } from '../../shared/sandbox-api.ts'
import type { ViewState } from './inspector.ts'
import { writeRoute } from './route.ts'
import { clockText, timeText } from './words.ts'

export class IdempotencyView extends LitElement {
  @property({ attribute: false }) state: ViewState | undefined

  protected override createRenderRoot(): HTMLElement {
    return this
  }

  protected override render(): unknown {
    const uses = this.state?.live.keyUses ?? []
    if (uses.length === 0) {
      return html`<div class="welcome"><h2>No Idempotency-Key yet</h2>
        <p>A create that carries one can be sent again after a timeout: the same key and body find
          the first intent instead of making a second. Each key shows up here with its replays and
          conflicts.</p></div>`
    }
    return html`<p class="lead">Since this start of the service. A replay is a retry that found its
        intent; a conflict is a key that came with another body.</p>
      <div class="scroll"><table>
        <thead><tr><th scope="col">Key</th><th scope="col">Intent</th><th scope="col" class="number">Requests</th>
          <th scope="col" class="number">Replays</th><th scope="col" class="number">Conflicts</th>
          <th scope="col" class="number">Waits</th><th scope="col">Last</th></tr></thead>
        <tbody>${uses.map((use) => this.#row(use))}</tbody>
      </table></div>`
  }

  #row(use: KeyUse): TemplateResult {
    const { key, intentId, requests, replays, conflicts, waits, lastAt } = use
    const orderId = this.state?.live.known(intentId)?.orderId
    return html`<tr>
      <td><code>${key}</code></td>
      <td>${
        intentId
          ? html`<a href=${writeRoute({ section: 'intents', id: intentId })}><bdi>${orderId ?? intentId}</bdi></a>`
          : 'none'
      }</td>
      <td class="number">${requests}</td>
      <td class="number">${replays || html`<i>0</i>`}</td>
      <td class="number">${conflicts ? html`<span class="badge" data-tone="bad">${conflicts}</span>` : html`<i>0</i>`}</td>
      <td class="number">${waits || html`<i>0</i>`}</td>
      <td><time datetime=${lastAt} title=${timeText(lastAt)}>${clockText(lastAt)}</time></td>
    </tr>`
  }
}
