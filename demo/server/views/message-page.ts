/** Pages with a picture, a heading, a sentence, and an action: empty lists and errors. @module */
import { type Html, html } from './html.ts'
import type { Frame, Page } from './layout.ts'

/** The content of such a page. */
export function blank(
  { title, text, picture }: Readonly<Record<'title' | 'text' | 'picture', string>>,
  action: Html,
): Html {
  return html`<div class="blank">
    <img src="/pictures/${picture}.svg" alt="" width="240" height="240">
    <h1 tabindex="-1">${title}</h1>
    <p class="muted">${text}</p>
    ${action}
  </div>`
}

/** The page does not exist, or belongs to another visitor. */
export function missingPage({ texts }: Frame): Page {
  const { notFound: title, notFoundText: text } = texts
  const link = html`<a class="button" href="/">${texts.browse}</a>`
  return { title, content: blank({ title, text, picture: 'coffee-cups' }, link) }
}

/** @param status - HTTP status of the response. */
export function errorPage({ texts }: Frame, status: number): Page {
  const reasons = new Map([
    [403, texts.needsCookie],
    [429, texts.tooMany],
  ])
  const title = texts.failed
  const text = reasons.get(status) ?? texts.failedPageText
  const link = html`<a class="button" href="/cart">${texts.backToCart}</a>`
  return { title, content: blank({ title, text, picture: 'copper-jazve' }, link) }
}
