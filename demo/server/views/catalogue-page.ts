/** The catalogue: eight products and their prices. @module */
import { type Line, mostPerProduct } from '../cart.ts'
import { type Product, priceText, products } from '../catalogue.ts'
import { type Html, html } from './html.ts'
import type { Page } from './layout.ts'

export function cataloguePage(cart: readonly Line[]): Page {
  const content = html`
    <div class="hero">
      <div class="stack">
        <h1>Made slowly, in the land of apricots</h1>
        <p class="muted">Clay, copper, wool, and fruit from eight small workshops across Armenia. Packed in Yerevan.</p>
      </div>
      <img src="/pictures/valley.svg" alt="Mount Ararat above the apricot gardens" width="1200" height="640" fetchpriority="high">
    </div>
    <h2>From the workshops</h2>
    <ul class="products">${products.map((product) => productCard(product, cart))}</ul>
  `
  return { title: 'Shop', content }
}

function productCard({ id, name, about, price }: Product, cart: readonly Line[]): Html {
  const quantity = cart.find((line) => line.product === id)?.quantity ?? 0
  // It begins with what the button shows.
  const label = `Add to cart${quantity > 0 ? ` ${quantity} in it` : ''}: ${name}`
  return html`<li class="product" id="item-${id}">
    <img src="/pictures/${id}.svg" alt="" width="400" height="400" loading="lazy">
    <h3>${name}</h3>
    <p class="muted small">${about}</p>
    <form class="row" method="post" action="/cart">
      <strong class="money">${priceText(price)}</strong>
      <input type="hidden" name="product" value="${id}">
      <input type="hidden" name="back" value="/">
      <button class="button quiet" name="quantity" value="${quantity + 1}" data-testid="add-to-cart" aria-label="${label}"${
        quantity === mostPerProduct && html` disabled`
      }>Add to cart${quantity > 0 && html` <span class="count">${quantity}</span>`}</button>
    </form>
  </li>`
}
