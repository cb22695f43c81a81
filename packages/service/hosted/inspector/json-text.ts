/**
 * A JSON value with its names, strings, and other values in different colors.
 *
 * @module
 */
import { html, type TemplateResult } from 'lit'
import { property } from 'lit/decorators.js'
import { LightElement } from '../light-element.ts'
import { copyButton } from './copy.ts'

export class JsonText extends LightElement {
  @property({ attribute: false }) value: unknown

  protected override render(): unknown {
    const text = JSON.stringify(this.value, null, 2)
    return html`<div class="code">
      ${copyButton('Copy', () => text)}
      <pre tabindex="0">${highlighted(text)}</pre>
    </div>`
  }
}

function highlighted(text: string): readonly (string | TemplateResult)[] {
  const parts: (string | TemplateResult)[] = []
  let end = 0
  for (const match of text.matchAll(token)) {
    parts.push(text.slice(end, match.index))
    const [whole, string, colon] = match
    const kind = string === undefined ? 'value' : colon ? 'name' : 'string'
    const shown = string ?? whole
    parts.push(html`<span class=${kind}>${shown}</span>`)
    end = match.index + shown.length
  }
  parts.push(text.slice(end))
  return parts
}

const token = /("(?:[^"\\]|\\[\s\S]?)*(?:"|$))(:)?|\b(?:true|false|null)\b|-?\d[\d.eE+-]*/g
