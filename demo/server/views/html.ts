/** Renders HTML from templates that escape values. @module */

/** HTML that is not escaped again: the result of a template. */
export class Html {
  readonly text: string

  constructor(text: string) {
    this.text = text
  }
}

/** Value in a template. Lists are joined; `undefined`, `null`, and `false` render as an empty string. */
export type HtmlValue = string | number | Html | undefined | null | false | readonly HtmlValue[]

/** Renders a template. Escapes each value except the results of other templates. */
export function html(strings: TemplateStringsArray, ...values: readonly HtmlValue[]): Html {
  return new Html(strings.reduce((text, part, index) => text + textOf(values[index - 1]) + part))
}

function textOf(value: HtmlValue): string {
  if (value === undefined || value === null || value === false) return ''
  if (value instanceof Html) return value.text
  if (typeof value === 'object') return value.map(textOf).join('')
  return String(value).replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`)
}
