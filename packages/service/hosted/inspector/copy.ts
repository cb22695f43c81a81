/**
 * A button that copies a text and confirms it.
 *
 * @module
 */
import { html, type TemplateResult } from 'lit'

/** @param text - Called when the button is pressed. */
export function copyButton(label: string, text: () => string): TemplateResult {
  const copy = async ({ currentTarget }: Event): Promise<void> => {
    if (!(currentTarget instanceof HTMLButtonElement)) return
    const button = currentTarget
    await navigator.clipboard.writeText(text())
    button.dataset.copied = ''
    button.ariaLabel = 'Copied'
    setTimeout(() => {
      delete button.dataset.copied
      button.ariaLabel = null
    }, 1500)
  }
  return html`<button class="small" type="button" @click=${copy}>${label}</button>`
}
