/** The catalogue: eight products and their prices. @module */
import type { Line } from '../cart.ts'
import { type Product, priceText, products } from '../catalogue.ts'
import { type Html, html } from './html.ts'
import type { Page } from './layout.ts'
import { quantitySteps } from './quantity.ts'

export function cataloguePage(cart: readonly Line[]): Page {
  const content = html`
    <div class="hero columns">
      <div class="stack">
        <h1>Made slowly, in the land of apricots</h1>
        <p class="muted">Clay, copper, wool, and fruit from eight small workshops across Armenia. Packed in Yerevan.</p>
      </div>
      <img src="/pictures/valley.svg" alt="Mount Ararat above the apricot gardens" width="1200" height="640" fetchpriority="high">
    </div>
    <div class="row">
      <h2>From the workshops</h2>
      <p class="muted">Eight things, each made by one pair of hands</p>
    </div>
    <ul class="products">${products.map((product) => productCard(product, cart))}</ul>
  `
  return { title: 'Shop', place: 'shop', content }
}

function productCard({ id, name, about, price }: Product, cart: readonly Line[]): Html {
  const quantity = cart.find((line) => line.product === id)?.quantity ?? 0
  return html`<li class="product" id="item-${id}">
    <img src="/pictures/${id}.svg" alt="" width="400" height="400" loading="lazy">
    <h3>${name}</h3>
    <p class="about muted">${about}</p>
    <div class="row">
      <span class="money strong">${priceText(price)}</span>
      ${quantitySteps({ product: id, quantity, back: '/', least: 0 })}
    </div>
    ${quantity > 0 && html`<a href="/cart">View cart</a>`}
  </li>`
}
