/** The form that changes the quantity of one product in the cart. @module */
import { mostPerProduct } from '../cart.ts'
import { nameOf } from '../catalogue.ts'
import { type Html, html } from './html.ts'
import type { Frame } from './layout.ts'

/** @param least - The smallest quantity that "−" leads to. */
export function quantitySteps(
  { texts, language, path }: Frame,
  { product, quantity, least }: { product: string; quantity: number; least: number },
): Html {
  const name = nameOf(product, language)
  const step = (by: 1 | -1, label: string): Html => {
    const isLast = quantity === (by === 1 ? mostPerProduct : least)
    return html`<button class="step" id="step-${by}-${product}" name="quantity" value="${quantity + by}" aria-label="${label}"${isLast && html` disabled`}>${by === 1 ? '+' : '−'}</button>`
  }
  return html`<form class="steps" id="change-${product}" method="post" action="/cart" data-stay>
      <input type="hidden" name="product" value="${product}">
      <input type="hidden" name="was" value="${quantity}">
      <input type="hidden" name="back" value="${path}">
      ${
        // The focus stays on the button that adds one.
        quantity === 0
          ? html`<button class="button quiet" id="step-1-${product}" name="quantity" value="1" data-testid="add-to-cart" aria-label="${texts.addNamed(name)}">${texts.add}</button>`
          : html`${step(-1, texts.fewer(name))}<output>${quantity}</output>${step(1, texts.more(name))}`
      }
    </form>`
}
