/** Pages with a picture, a heading, a sentence, and a link: empty lists and errors. @module */
import { type Html, type HtmlValue, html } from './html.ts'
import type { Page } from './layout.ts'

/** @param link - Path and label. */
export function message(
  { title, text, picture }: { title: string; text: HtmlValue; picture: string },
  [path, label]: readonly [string, string] = ['/', 'Go to the shop'],
): Html {
  return html`<div class="blank stack">
    <img src="/pictures/${picture}.svg" alt="" width="240" height="240">
    <h1>${title}</h1>
    <p class="muted">${text}</p>
    <a class="button" href="${path}">${label}</a>
  </div>`
}

export function errorPage({
  title,
  text,
  status,
}: Readonly<{ title: string; text: string; status: number }>): Page {
  const isElsewhere = status === 404 || status === 401
  const link = isElsewhere ? undefined : (['/cart', 'Back to the cart'] as const)
  return { title, content: message({ title, text, picture: 'copper-jazve' }, link) }
}
