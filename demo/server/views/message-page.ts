/** Pages with a picture, a heading, a sentence, and a way to the shop: empty lists and errors. @module */
import { type HtmlValue, html } from './html.ts'
import type { Page } from './layout.ts'

/** @param picture - The id of a product. */
export function messagePage({
  title,
  text,
  picture,
}: Readonly<Record<'title' | 'picture', string> & { text: HtmlValue }>): Page {
  const content = html`<div class="message stack">
    <img src="/pictures/${picture}.svg" alt="" width="240" height="240">
    <h1>${title}</h1>
    <p class="muted">${text}</p>
    <a class="button" href="/">Go to the shop</a>
  </div>`
  return { title, content }
}
