/** The form that changes the quantity of one product in the cart. @module */
import { mostPerProduct } from '../cart.ts'
import { nameOf } from '../catalogue.ts'
import { type Html, html } from './html.ts'

interface Steps {
  readonly product: string
  readonly quantity: number
  /** The page with the form. */
  readonly back: '/' | '/cart'
  /** The smallest quantity that "−" leads to. */
  readonly least: number
}

export function quantitySteps({ product, quantity, back, least }: Steps): Html {
  const name = nameOf(product)
  const step = (to: number, sign: string, label: string): Html => {
    const isDisabled = to < least || to > mostPerProduct
    return html`<button class="step" name="quantity" value="${to}" aria-label="${label}: ${name}"${isDisabled && html` disabled`}>${sign}</button>`
  }
  return html`<form class="steps" id="change-${product}" method="post" action="/cart">
      <input type="hidden" name="product" value="${product}">
      <input type="hidden" name="back" value="${back}">
      ${
        quantity === 0
          ? html`<button class="button quiet" name="quantity" value="1" data-testid="add-to-cart" aria-label="Add to cart: ${name}">Add to cart</button>`
          : html`${step(quantity - 1, '−', 'Remove one')}<output>${quantity}</output>${step(quantity + 1, '+', 'Add one')}`
      }
    </form>`
}
