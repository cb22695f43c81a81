/** The cart: quantities, the total, and "Check out". @module */
import { type Line, mostPerProduct, totalOf } from '../cart.ts'
import { nameOf, priceText } from '../catalogue.ts'
import type { Order } from '../orders.ts'
import { type Html, html } from './html.ts'
import type { Page } from './layout.ts'
import { messagePage } from './message-page.ts'

/** @param newest - The session's newest order, for a buyer who has left it. */
export function cartPage(lines: readonly Line[], newest: Order | undefined): Page {
  const title = lines.length > 0 ? 'Your cart' : 'Your cart is empty'
  if (lines.length > 0) return { title, content: cart(lines) }
  const text =
    newest && html`What you ordered is in <a href="/orders/${newest.id}">your last order</a>.`
  return messagePage({ title, text, picture: 'thyme-tea' })
}

function cart(lines: readonly Line[]): Html {
  return html`
    <h1>Your cart</h1>
    <div class="stack columns">
      <ul>${lines.map(cartLine)}</ul>
      <section class="card stack" aria-label="Total">
        <p class="row total">
          Total <strong class="money" data-testid="cart-total">${priceText(totalOf(lines))}</strong>
        </p>
        <p class="muted small">Taxes and delivery are included.</p>
        <form class="stack" method="post" action="/orders">
          <button class="button" data-testid="place-order">Check out</button>
          <a class="button quiet" href="/">Keep shopping</a>
        </form>
      </section>
    </div>
  `
}

function cartLine({ product, quantity, price }: Line): Html {
  const name = nameOf(product)
  const step = (to: number, sign: string, label: string): Html => {
    const isDisabled = to < 1 || to > mostPerProduct
    return html`<button class="button quiet step" name="quantity" value="${to}" aria-label="${label}: ${name}"${isDisabled && html` disabled`}>${sign}</button>`
  }
  return html`<li class="line" id="item-${product}" data-testid="line-${product}" data-quantity="${quantity}">
    <img src="/pictures/${product}.svg" alt="" width="104" height="104">
    <div class="stack">
      <div class="row">
        <div><h2>${name}</h2><small class="muted">${priceText(price)} each</small></div>
        <strong class="money">${priceText(price * quantity)}</strong>
      </div>
      <form class="row" method="post" action="/cart">
        <input type="hidden" name="product" value="${product}">
        <span>${step(quantity - 1, '−', 'Remove one')}<output>${quantity}</output>${step(quantity + 1, '+', 'Add one')}</span>
        <button class="link" name="quantity" value="0" aria-label="Remove: ${name}">Remove</button>
      </form>
    </div>
  </li>`
}
