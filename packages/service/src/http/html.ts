/** Renders HTML from templates that escape values. @module */

/** HTML that is not escaped again: the result of a template. */
export class Html {
  readonly text: string

  constructor(text: string) {
    this.text = text
  }
}

/** Value in a template. Lists are joined, and `undefined` renders as an empty string. */
export type HtmlValue = string | number | Html | undefined | readonly HtmlValue[]

/**
 * Renders a template. Escapes each value except the results of other templates.
 *
 * @example
 * html`<p title="${title}">${lines.map((line) => html`<b>${line}</b>`)}</p>`.text
 */
export function html(strings: TemplateStringsArray, ...values: readonly HtmlValue[]): Html {
  return new Html(strings.reduce((text, part, index) => text + textOf(values[index - 1]) + part))
}

export function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`)
}

function textOf(value: HtmlValue): string {
  if (value === undefined) return ''
  if (value instanceof Html) return value.text
  return typeof value === 'object' ? value.map(textOf).join('') : escapeHtml(String(value))
}
