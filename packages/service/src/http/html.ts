/**
 * HTML from templates that escape every value.
 *
 * @module
 */

/** Trusted HTML: the result of a template. */
export class Html {
  readonly text: string

  constructor(text: string) {
    this.text = text
  }
}

/** A list is joined; `undefined` is nothing. */
export type HtmlValue = string | number | Html | undefined | readonly HtmlValue[]

/**
 * Fills a template in. Every value is escaped, except the results of other templates.
 *
 * @example
 * html`<p title="${title}">${lines.map((line) => html`<b>${line}</b>`)}</p>`.text
 */
export function html(strings: TemplateStringsArray, ...values: readonly HtmlValue[]): Html {
  return new Html(strings.reduce((text, part, index) => text + textOf(values[index - 1]) + part))
}

/** Escapes a text for use between tags and in quoted attributes. */
export function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`)
}

function textOf(value: HtmlValue): string {
  if (value === undefined) return ''
  if (value instanceof Html) return value.text
  return typeof value === 'object' ? value.map(textOf).join('') : escapeHtml(String(value))
}
