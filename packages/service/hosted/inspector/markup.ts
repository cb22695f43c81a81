/** Markup that several sections share. @module */
import { html, nothing, type TemplateResult } from 'lit'
import { repeat } from 'lit/directives/repeat.js'
import type { Sandbox } from './sandbox.ts'
import { text } from './show.ts'

/** A name that was received, kept apart from the direction of the text around it. */
export function name(value: unknown, max = 64): TemplateResult {
  return html`<bdi>${text(value, max)}</bdi>`
}

/** A text with the color of its kind, such as a fault. */
export function label(tone: string, content: unknown): TemplateResult {
  return html`<span class="dot hint" data-tone=${tone}>${content}</span>`
}

/** Returns the pair of colors of a status. */
export function toneOf(status: string): string {
  return tones.get(status) ?? 'plain'
}

const tones: ReadonlyMap<string, string> = new Map([
  ['requires_action', 'waiting'],
  ['processing', 'waiting'],
  ['succeeded', 'good'],
  ['declined', 'bad'],
  ['failed', 'bad'],
  ['canceled', 'quiet'],
  ['expired', 'quiet'],
])

/** A status with its color. */
export function statusLabel(status: string): TemplateResult {
  return html`<span class="dot hint" data-tone=${toneOf(status)} data-status=${status}>${text(status)}</span>`
}

interface List {
  readonly label: string
  readonly placeholder: string
  readonly filters?: TemplateResult
  readonly rows: readonly (readonly [id: string, row: TemplateResult])[]
  /** What is shown without rows. */
  readonly none: string
  /** What is shown if the item of the address does not exist. */
  readonly gone: string
}

/**
 * A list with its search, and next to it the open item: below it, where both do not fit.
 *
 * @param detail - `null` if the item does not exist.
 */
export function panes(
  sandbox: Sandbox,
  { label, placeholder, filters, rows, none, gone }: List,
  detail: TemplateResult | null | undefined,
): TemplateResult {
  const search = ({ target }: Event): void =>
    sandbox.find({ q: (target as HTMLInputElement).value })
  return html`<div class="panes stack">
    ${detail === null ? html`<p class="box gone" role="status">${gone}</p>` : nothing}
    <section class="list stack" aria-label=${label}>
      <input type="search" aria-label=${`Search ${label.toLowerCase()}`} aria-keyshortcuts="/" placeholder=${placeholder}
        maxlength="200" .value=${sandbox.route.q ?? ''} @input=${search}>
      ${filters}
      ${
        rows.length > 0
          ? html`<ul class="box rows">${repeat(
              rows,
              ([id]) => id,
              ([, row]) => row,
            )}</ul>`
          : html`<p class="empty">${none}</p>`
      }
    </section>
    ${detail}
  </div>`
}

/** A text with a button that copies it. */
export function copyable(sandbox: Sandbox, content: string, label: string): TemplateResult {
  const isCopied = sandbox.copied === content
  return html`<div class="row code"><pre tabindex="0">${content}</pre>
    <button type="button" class="small" @click=${() => sandbox.copy(content)}>${isCopied ? 'Copied' : label}</button></div>`
}
