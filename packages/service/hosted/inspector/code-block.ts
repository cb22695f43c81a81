/** Texts to copy: commands, and JSON values in colors. @module */
import { html, type TemplateResult } from 'lit'
import { copyText } from '../copy.ts'

export function copyButton(text: string, label = 'Copy'): TemplateResult {
  const copy = ({ currentTarget }: Event): void => {
    if (currentTarget instanceof HTMLElement) void copyText(currentTarget, text)
  }
  return html`<button class="small" type="button" @click=${copy}>${label}</button>`
}

/** @param content - What is shown instead of the text. */
export function codeBlock(text: string, label?: string, content: unknown = text): TemplateResult {
  return html`<div class="code">${copyButton(text, label)}<pre tabindex="0">${content}</pre></div>`
}

/** Returns a value as JSON with its names, strings, and other values in different colors. */
export function jsonBlock(value: unknown): TemplateResult {
  const text = JSON.stringify(value, null, 2)
  const parts: unknown[] = []
  let end = 0
  for (const match of text.matchAll(token)) {
    const [whole, string, colon] = match
    const tone = string === undefined ? 'waiting' : colon ? 'plain' : 'good'
    const shown = string ?? whole
    parts.push(text.slice(end, match.index), html`<span data-tone=${tone}>${shown}</span>`)
    end = match.index + shown.length
  }
  return codeBlock(text, 'Copy', [...parts, text.slice(end)])
}

const token = /("(?:[^"\\]|\\[\s\S]?)*(?:"|$))(:)?|\b(?:true|false|null)\b|-?\d[\d.eE+-]*/g
