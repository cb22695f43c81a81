/** Markup that several sections share. @module */
import { html, type TemplateResult } from 'lit'
import { repeat } from 'lit/directives/repeat.js'
import { copyText } from '../copy.ts'
import type { Sandbox } from './sandbox.ts'
import { text } from './show.ts'

/** What a section shows before its first read: also while the service is down. */
export function loading({ connection }: Sandbox): TemplateResult {
  return html`<p class="empty" role="status">${
    connection === 'lost'
      ? 'The service does not respond. This section appears when it is back.'
      : 'Loading…'
  }</p>`
}

/** A name that was received, kept apart from the direction of the text around it. */
export function name(value: unknown, max = 64): TemplateResult {
  return html`<bdi>${text(value, max)}</bdi>`
}

export function badge(tone: string, content: unknown): TemplateResult {
  return html`<span class="badge" data-tone=${tone}>${content}</span>`
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

/** A status with its color: a `badge`, or text after a `dot`. */
export function statusLabel(status: string, look: 'badge' | 'dot hint'): TemplateResult {
  return html`<span class=${look} data-tone=${toneOf(status)} data-status=${status}>${text(status)}</span>`
}

interface List {
  readonly label: string
  readonly placeholder: string
  readonly filters: unknown
  readonly rows: readonly (readonly [id: string, row: TemplateResult])[]
  /** What is shown without rows. */
  readonly none: string
}

/** A list with its search, and next to it the open item: below it, where both do not fit. */
export function panes(sandbox: Sandbox, list: List, detail: unknown): TemplateResult {
  const { label, placeholder, filters, rows, none } = list
  const search = ({ target }: Event): void =>
    sandbox.find({ q: (target as HTMLInputElement).value })
  return html`<div class="panes">
    <section class="list stack" aria-label=${label}>
      <input type="search" aria-label=${`Search ${label.toLowerCase()}`} aria-keyshortcuts="/" placeholder=${placeholder}
        maxlength="200" .value=${sandbox.search.q} @input=${search}>
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

function copyButton(content: string, label = 'Copy'): TemplateResult {
  const copy = ({ currentTarget }: Event): void => {
    if (currentTarget instanceof HTMLElement) void copyText(currentTarget, content)
  }
  return html`<button class="small" type="button" @click=${copy}>${label}</button>`
}

/** @param shown - What is shown instead of the copied text. */
export function codeBlock(
  content: string,
  label?: string,
  shown: unknown = content,
): TemplateResult {
  return html`<div class="code">${copyButton(content, label)}<pre tabindex="0">${shown}</pre></div>`
}
