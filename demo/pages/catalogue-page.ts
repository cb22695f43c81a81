/** The catalogue page: eight products and their prices. @module */
import { html, nothing, type TemplateResult } from 'lit'
import type { CatalogueData, ProductData } from '../server/page-data.ts'
import { texts } from './language.ts'
import { act, drawPage } from './page.ts'
import { request } from './request.ts'

export async function showCatalogue(): Promise<void> {
  draw(await request<CatalogueData>('/api/catalogue'))
}

function draw({ frame, products }: CatalogueData): void {
  drawPage(
    { frame, title: texts.shop, place: 'shop' },
    html`
      <div class="hero">
        <div>
          <h1>${texts.heroTitle}</h1>
          <p>${texts.heroText}</p>
        </div>
        <img src="/pictures/valley.svg" alt=${texts.heroPicture} width="1200" height="640">
      </div>
      <section aria-labelledby="workshops">
        <div class="section-head">
          <h2 id="workshops">${texts.fromWorkshops}</h2>
          <p class="muted">${texts.eightThings}</p>
        </div>
        <ul class="products">${products.map(productCard)}</ul>
      </section>
    `,
  )
}

function productCard(product: ProductData): TemplateResult {
  const { id, name, about, price, quantity } = product
  return html`<li class="product">
    <img src="/pictures/${id}.svg" alt="" width="400" height="400" loading="lazy">
    <h3>${name}</h3>
    <p class="about">${about}</p>
    <div class="buy">
      <span class="money">${price}</span>
      <button class="button quiet" data-testid="add-to-cart" data-product=${id} aria-label=${texts.addNamed(name)}
        @click=${act(() => add(product))}>${texts.add}</button>
    </div>
    <p class="in-cart" role="status">${quantity > 0 ? texts.inCart(quantity) : nothing}</p>
  </li>`
}

async function add({ id, quantity, most }: ProductData): Promise<void> {
  const body = { quantity: Math.min(quantity + 1, most), was: quantity }
  await request(`/api/cart/${id}`, { method: 'PUT', body })
  await showCatalogue()
}
