/** Markup that several sections share. @module */
import type { PaymentIntent } from '@pi-checkout/contract'
import { html, nothing, type TemplateResult } from 'lit'
import { keyed } from 'lit/directives/keyed.js'
import { repeat } from 'lit/directives/repeat.js'
import type { Sandbox } from './sandbox.ts'
import { money, text, time } from './show.ts'

/** A name that was received, kept apart from the direction of the text around it. */
export function name(value: unknown, max = 64): TemplateResult {
  return html`<bdi>${text(value, max)}</bdi>`
}

/** An amount of an order. What nobody can pay is shown as it was sent. */
export function amountOf({
  amount,
  currency,
}: Readonly<Record<'amount' | 'currency', unknown>>): unknown {
  if (amount === null) return nothing
  return (
    money(amount, currency) ??
    html`<code>${text(amount, 24)} ${currency === null ? '' : text(currency, 8)}</code>`
  )
}

export function customerOf({ customer }: PaymentIntent): unknown {
  return customer && name(customer.name ?? customer.email ?? customer.id)
}

/** What is known, each with its label. */
export function facts(values: Readonly<Record<string, unknown>>): TemplateResult {
  return html`<dl class="row">${Object.entries(values)
    .filter(([, value]) => value)
    .map(
      ([label, value]) => html`<div><dt class="hint">${label}</dt><dd>${value}</dd></div>`,
    )}</dl>`
}

/** A status with the colors of its kind. */
export function badge(status: string, tone = tones.get(status)): TemplateResult {
  return html`<span class="badge" data-tone=${tone ?? 'plain'}>${text(status)}</span>`
}

const tones: ReadonlyMap<string, string> = new Map([
  ['requires_action', 'waiting'],
  ['processing', 'waiting'],
  ['succeeded', 'good'],
  ['failed', 'bad'],
  ['canceled', 'quiet'],
  ['expired', 'quiet'],
])

/** An intent, a request, or an event of a timeline. */
export interface Line {
  readonly title: unknown
  readonly amount?: unknown
  readonly badge: TemplateResult
  readonly notes: readonly unknown[]
  readonly at: unknown
  /** Where its details are. */
  readonly href?: string
}

export function line({ title, amount, badge, notes, at, href }: Line): TemplateResult {
  const cells = html`<b>${title}</b> <span class="amount">${amount}</span>
    <span class="row facts">${badge}
      <span class="notes">${notes.map((note) => html` <span>${note}</span>`)}</span>
      <time datetime=${text(at, 40)}>${time(at)}</time></span>`
  return href
    ? html`<li><a class="line" href=${href}>${cells}</a></li>`
    : html`<li><div class="line">${cells}</div></li>`
}

interface List {
  readonly label: string
  readonly placeholder: string
  readonly filters?: TemplateResult
  readonly lines: readonly Line[]
  /** What is shown without lines, unless a search finds none. */
  readonly none: TemplateResult
}

/** A list with its search. */
export function list(
  sandbox: Sandbox,
  { label, placeholder, filters, lines, none }: List,
): TemplateResult {
  const { q = '', filter } = sandbox.route
  const search = ({ target }: Event): void =>
    sandbox.find({ q: (target as HTMLInputElement).value })
  const showAll = () => sandbox.find({ q: undefined, filter: undefined })
  const noMatch = () =>
    empty(
      `No matching ${label}`,
      'Choose another filter, or search for something else.',
      html`<button type="button" @click=${showAll}>Show all</button>`,
    )
  return html`<section class="list stack" aria-label=${label}>
    <div class="row">
      <input type="search" aria-label=${`Search ${label}`} aria-keyshortcuts="/" placeholder=${placeholder}
        maxlength="200" .value=${q} @input=${search}>
      ${filters}
    </div>
    ${
      lines.length > 0
        ? html`<ul class="box lines">${repeat(lines, ({ href }) => href, line)}</ul>`
        : q || filter
          ? noMatch()
          : none
    }
  </section>`
}

/** What is missing, and how to go on. */
export function empty(heading: string, help: unknown, action?: TemplateResult): TemplateResult {
  return html`<div class="box empty stack" role="status">
    <h2>${heading}</h2>
    <p>${help}</p>
    ${action && html`<p>${action}</p>`}
  </div>`
}

/** A text with a button that copies it. */
export function copyable(content: string): TemplateResult {
  const copy = async ({ target }: Event): Promise<void> => {
    await navigator.clipboard.writeText(content)
    ;(target as HTMLElement).textContent = 'Copied'
  }
  // Another text has another button.
  return html`${keyed(
    content,
    html`<pre tabindex="0">${content}</pre>
    <p><button type="button" @click=${copy}>Copy</button></p>`,
  )}`
}
