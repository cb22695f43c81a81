/** Markup that several sections share. @module */
import { html, nothing, type TemplateResult } from 'lit'
import { live } from 'lit/directives/live.js'
import { anyRequest, maxSearchLength } from './filters.ts'
import type { InspectorState } from './inspector-state.ts'
import { keyText } from './labels.ts'
import { writeRoute } from './route.ts'

/** A list of names and values, without the empty ones. */
export function facts(rows: readonly (readonly [name: string, value: unknown])[]): TemplateResult {
  return html`<dl class="columns">${rows.map(([name, value]) =>
    value ? html`<div><dt>${name}</dt><dd>${value}</dd></div>` : nothing,
  )}</dl>`
}

/** What a section shows before it has any content. */
export function emptySection(title: string, content: unknown): TemplateResult {
  return html`<div class="box stack welcome"><h2>${title}</h2>${content}</div>`
}

export function intentLink(id: string, content: unknown): TemplateResult {
  return html`<a href=${writeRoute({ section: 'intents', id })}>${content}</a>`
}

/** What a list shows if its filter hides everything. `hint`: what the search finds. */
export function noMatch({
  text,
  hint,
  onClear,
}: {
  readonly text: string
  readonly hint: string
  readonly onClear: () => void
}): TemplateResult {
  return html`<div class="empty stack"><p>${text}</p><p class="hint">${hint}</p>
    <p><button type="button" @click=${onClear}>Clear search and filter</button></p></div>`
}

/** Leads to the creates of an idempotency key: the first one, replays, conflicts, and lost responses. */
export function keyLink(state: InspectorState, key: string): TemplateResult {
  const show = (): void => state.searchRequests({ ...anyRequest, key })
  return html`<a href=${writeRoute({ section: 'requests' })} title=${key} @click=${show}><code>${keyText(key)}</code></a>`
}

/** Buttons below a page of a list: to the newest page, and to the next older one. */
export function pageButtons<Position>({
  showsNewest,
  older,
  before,
  onPage,
}: {
  readonly showsNewest: boolean
  readonly older: string
  /** Where the older page ends, or `null` if there is none. */
  readonly before: Position | null
  /** Opens the page before a position, or the newest one. */
  readonly onPage: (before: Position | undefined) => void
}): TemplateResult {
  const button = (text: string, position?: Position): TemplateResult => {
    const open = ({ currentTarget }: Event): void => {
      onPage(position)
      scrollTo(0, 0)
      if (currentTarget instanceof Element) currentTarget.closest('section')?.scrollTo(0, 0)
    }
    return html`<button type="button" @click=${open}>${text}</button>`
  }
  return html`<p class="tools row between">
    ${showsNewest ? nothing : button('Show newest')}
    ${before === null ? nothing : button(older, before)}
  </p>`
}

export function searchField(
  label: string,
  {
    placeholder,
    value,
    onInput,
  }: {
    readonly placeholder: string
    readonly value: string
    readonly onInput: (value: string) => void
  },
): TemplateResult {
  return html`<input type="search" placeholder=${placeholder} aria-label=${label}
    maxlength=${maxSearchLength} .value=${value}
    @input=${({ target }: Event) => target instanceof HTMLInputElement && onInput(target.value)}>`
}

/** @param options - Values with their labels. */
export function selectField(
  label: string,
  {
    options,
    value: chosen,
    onChange,
  }: {
    readonly options: readonly (readonly [value: string, label: string])[]
    readonly value: string | undefined
    readonly onChange: (value: string) => void
  },
): TemplateResult {
  return html`<select aria-label=${label}
    @change=${({ target }: Event) => target instanceof HTMLSelectElement && onChange(target.value)}>
    ${options.map(
      ([value, text]) =>
        html`<option value=${value} .selected=${live(value === chosen)}>${text}</option>`,
    )}
  </select>`
}
