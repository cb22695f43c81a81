/** The catalogue: eight products and their prices. @module */
import { formatMoney } from '@pi-checkout/server'
import { type Product, products } from '../catalogue.ts'
import { type Html, html } from './html.ts'
import type { Frame, Page } from './layout.ts'
import { quantitySteps } from './quantity.ts'

export function cataloguePage(frame: Frame): Page {
  const { texts } = frame
  const content = html`
    <div class="hero">
      <div>
        <h1>${texts.heroTitle}</h1>
        <p class="muted">${texts.heroText}</p>
      </div>
      <img src="/pictures/valley.svg" alt="${texts.heroPicture}" width="1200" height="640" fetchpriority="high">
    </div>
    <section aria-labelledby="workshops">
      <div class="section-head">
        <h2 id="workshops">${texts.fromWorkshops}</h2>
        <p class="muted">${texts.eightThings}</p>
      </div>
      <ul class="products">${products.map((product) => productCard(frame, product))}</ul>
    </section>
  `
  return { title: texts.shop, place: 'shop', content }
}

function productCard(frame: Frame, { id, name, about, prices }: Product): Html {
  const { texts, language, currency, cart } = frame
  const quantity = cart.find((line) => line.product === id)?.quantity ?? 0
  return html`<li class="product" id="item-${id}">
    <img src="/pictures/${id}.svg" alt="" width="400" height="400" loading="lazy">
    <h3>${name[language]}</h3>
    <p class="about muted">${about[language]}</p>
    <div class="buy">
      <span class="money">${formatMoney(prices[currency], currency, language)}</span>
      ${quantitySteps(frame, { product: id, quantity, least: 0 })}
    </div>
    <p class="in-cart" role="status">${quantity > 0 && html`<a href="/cart">${texts.viewCart}</a>`}</p>
  </li>`
}
