/** Pages with a picture, a heading, a sentence, and an action: empty lists and errors. @module */
import type { ShopProblemCode } from '../problem.ts'
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

/** Explains an error. Its form leads to a page that exists: the path of the request may be any. */
export function errorPage({ texts }: Frame, code: ShopProblemCode): Page {
  const { title, text } = texts.problems[code]
  const pages: Partial<Record<ShopProblemCode, readonly [string, string, string]>> = {
    not_found: ['/', texts.browse, 'coffee-cups'],
    order_not_found: ['/orders', texts.orders, 'coffee-cups'],
  }
  const [path, label, picture] = pages[code] ?? ['/cart', texts.backToCart, 'copper-jazve']
  const link = html`<a class="button" href="${path}">${label}</a>`
  return { title, back: path, content: blank({ title, text, picture }, link) }
}
