/** The cart page: changes quantities and places the order. @module */
import { html, type TemplateResult } from 'lit'
import type { CartData, LineData } from '../server/page-data.ts'
import { texts } from './language.ts'
import { act, blank, drawPage } from './page.ts'
import { request } from './request.ts'

export async function showCart(): Promise<void> {
  draw(await request<CartData>('/api/cart'))
}

function draw(cart: CartData): void {
  const { frame, lines } = cart
  const content = lines.length > 0 ? fullCart(cart) : emptyCart()
  drawPage({ frame, title: texts.cartTitle, place: 'cart' }, content)
}

function fullCart({ lines, total, most, pendingOrder }: CartData): TemplateResult {
  return html`
    <h1 tabindex="-1">${texts.cartTitle}</h1>
    <div class="cart">
      <ul class="cart-lines">${lines.map((line) => cartLine(line, most))}</ul>
      <section class="sum" aria-label=${texts.total}>
        <dl><dt>${texts.total}</dt><dd class="money" data-testid="cart-total">${total}</dd></dl>
        <p class="muted">${texts.shippingIncluded}</p>
        ${pendingOrder === null ? checkOutButton() : pendingNote(pendingOrder)}
        <a class="button quiet" href="/">${texts.keepShopping}</a>
      </section>
    </div>
  `
}

function checkOutButton(): TemplateResult {
  return html`<button class="button" data-testid="place-order" @click=${act(checkOut)}>${texts.checkOut}</button>`
}

/** These pieces may already be paid, until the bank has decided. */
function pendingNote(orderId: string): TemplateResult {
  return html`<p class="notice" role="status" data-testid="pending-order">${texts.cartPending}</p>
    <a class="button" href="/confirming/${orderId}">${texts.seeProgress}</a>`
}

function emptyCart(): TemplateResult {
  const { cartEmpty: title, cartEmptyText: text } = texts
  const link = html`<a class="button" href="/">${texts.browse}</a>`
  return blank({ title, text, picture: 'thyme-tea' }, link)
}

function cartLine(
  { product, name, quantity, price, total }: LineData,
  most: number,
): TemplateResult {
  const set = (wanted: number) => act(() => change(product, { quantity: wanted, was: quantity }))
  return html`<li class="cart-line" data-testid="line-${product}">
    <img src="/pictures/${product}.svg" alt="" width="400" height="400">
    <h2>${name}<span class="money">${texts.each(price)}</span></h2>
    <span class="money">${total}</span>
    <div class="steps">
      <button class="step" aria-label=${texts.fewer(name)} ?disabled=${quantity <= 1}
        @click=${set(quantity - 1)}>−</button>
      <output>${quantity}</output>
      <button class="step" aria-label=${texts.more(name)} ?disabled=${quantity >= most}
        @click=${set(quantity + 1)}>+</button>
    </div>
    <button class="remove" aria-label=${texts.removeNamed(name)} @click=${set(0)}>${texts.remove}</button>
  </li>`
}

async function change(
  product: string,
  body: { readonly quantity: number; readonly was: number },
): Promise<void> {
  draw(await request<CartData>(`/api/cart/${product}`, { method: 'PUT', body }))
  // The pressed button was removed with its line.
  if (body.quantity === 0) document.querySelector<HTMLElement>('h1')?.focus()
}

async function checkOut(): Promise<void> {
  const { orderId } = await request<{ orderId: string }>('/api/orders', { body: {} })
  location.assign(`/pay/${orderId}`)
}
