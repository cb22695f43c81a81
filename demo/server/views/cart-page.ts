/** The cart: quantities, the total, and "Check out". @module */
import { formatMoney } from '@pi-checkout/server'
import { type Line, totalOf } from '../cart.ts'
import { nameOf } from '../catalogue.ts'
import type { Order } from '../orders.ts'
import { type Html, html } from './html.ts'
import type { Frame, Page } from './layout.ts'
import { blank } from './message-page.ts'
import { quantitySteps } from './quantity.ts'

/** @param unpaid - The session's newest order, if it is not paid. */
export function cartPage(frame: Frame, unpaid: Order | undefined): Page {
  const { texts, currency, language, cart: lines } = frame
  const title = texts.cartTitle
  if (lines.length === 0) {
    const link = html`<a class="button" href="/">${texts.browse}</a>`
    const empty = { title: texts.cartEmpty, text: texts.cartEmptyText, picture: 'thyme-tea' }
    return {
      title,
      place: 'cart',
      content: html`${unpaidNote(frame, unpaid)}${blank(empty, link)}`,
    }
  }
  const content = html`
    ${unpaidNote(frame, unpaid)}
    <h1 tabindex="-1">${title}</h1>
    <div class="cart">
      <ul class="cart-lines">${lines.map((line) => cartLine(frame, line))}</ul>
      <section class="sum" aria-label="${texts.total}">
        <dl><dt>${texts.total}</dt>
          <dd class="money" data-testid="cart-total">${formatMoney(totalOf(lines), currency, language)}</dd></dl>
        <p class="muted">${texts.shippingIncluded}</p>
        <form method="post" action="/orders">
          <button class="button" data-testid="place-order">${texts.checkOut}</button>
        </form>
        <a class="button quiet" href="/">${texts.keepShopping}</a>
      </section>
    </div>
  `
  return { title, place: 'cart', content }
}

/** Its pieces are no longer in the cart. */
function unpaidNote({ texts }: Frame, unpaid: Order | undefined): Html | undefined {
  return (
    unpaid &&
    html`<p class="notice" data-testid="unpaid-order">${texts.openTitle}: <a href="/orders/${unpaid.id}">${unpaid.id}</a></p>`
  )
}

function cartLine(frame: Frame, { product, quantity, price }: Line): Html {
  const { texts, currency, language } = frame
  const name = nameOf(product, language)
  return html`<li class="cart-line" id="item-${product}" data-testid="line-${product}" data-quantity="${quantity}">
    <img src="/pictures/${product}.svg" alt="" width="400" height="400">
    <h2>${name}<span class="money">${texts.each(formatMoney(price, currency, language))}</span></h2>
    <span class="money">${formatMoney(price * quantity, currency, language)}</span>
    ${quantitySteps(frame, { product, quantity, least: 1 })}
    <button class="link remove" form="change-${product}" name="quantity" value="0" aria-label="${texts.removeNamed(name)}">${texts.remove}</button>
  </li>`
}
