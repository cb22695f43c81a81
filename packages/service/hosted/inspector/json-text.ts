/**
 * A JSON value as coloured text: names, strings, numbers and words apart.
 *
 * @module
 */
import { html, LitElement, type TemplateResult } from 'lit'
import { property } from 'lit/decorators.js'
import { copyButton } from './copy.ts'

export class JsonText extends LitElement {
  @property({ attribute: false }) value: unknown

  protected override createRenderRoot(): HTMLElement {
    return this
  }

  protected override render(): unknown {
    const text = JSON.stringify(this.value, null, 2)
    return html`<div class="code">
      ${copyButton('Copy', () => text)}
      <pre tabindex="0">${pieces(text)}</pre>
    </div>`
  }
}

function pieces(text: string): readonly (string | TemplateResult)[] {
  const found: (string | TemplateResult)[] = []
  let end = 0
  for (const match of text.matchAll(token)) {
    found.push(text.slice(end, match.index))
    const [all, string, colon] = match
    const kind = string === undefined ? 'value' : colon ? 'name' : 'string'
    const shown = string ?? all
    found.push(html`<span class=${kind}>${shown}</span>`)
    end = match.index + shown.length
  }
  found.push(text.slice(end))
  return found
}

const token = /("(?:[^"\\]|\\[\s\S]?)*(?:"|$))(:)?|\b(?:true|false|null)\b|-?\d[\d.eE+-]*/g
