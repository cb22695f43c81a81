/** The two pages of a payment: the order next to the hosted checkout, and the confirmation. @module */
import { formatMoney } from '@pi-checkout/server'
import { appearance } from '../checkout.ts'
import type { OrderDetails } from '../order-details.ts'
import type { Order } from '../orders.ts'
import { type Html, html } from './html.ts'
import type { Frame, Page } from './layout.ts'
import { editCart, linesAndTotal } from './order-summary.ts'

/** `pages/checkout.ts` mounts the checkout in the element, and uses the templates. */
export function payPage(frame: Frame, details: OrderDetails): Page {
  const { texts, language, checkoutOrigin } = frame
  const { order } = details
  const content = html`
    <h1>${texts.checkoutTitle}</h1>
    <div class="checkout">
      <div>
        <div class="pay">
          <pi-checkout id="checkout" data-testid="checkout" locale="${language}" data-origin="${checkoutOrigin}"
            data-order="${order.id}" data-appearance="${JSON.stringify(appearance)}">
            <p class="idle muted">${texts.preparing}</p>
            <noscript>
              <h2>${texts.needsScript}</h2>
              <p class="muted">${texts.allowScript(frame.shopOrigin, checkoutOrigin)}</p>
            </noscript>
            ${fullPageForm(frame, order, { slot: html` slot="page"`, look: 'button quiet' })}
          </pi-checkout>
        </div>
        <p class="assurance muted">${lock}<span>${texts.assurance}</span></p>
        <div class="other-way">${fullPageForm(frame, order, { look: 'link' })}</div>
      </div>
      <section class="summary" aria-labelledby="your-order">
        <input class="hidden-text" id="show-order" type="checkbox">
        <div class="summary-head">
          <h2 id="your-order"><label for="show-order">${texts.yourOrder}</label></h2>
          <span class="brief money">${formatMoney(order.amount, order.currency, language)}</span>
          <div class="aside">${editCart(frame, order)}</div>
        </div>
        ${linesAndTotal(frame, details)}
      </section>
    </div>
    <template id="handoff-failed">${handoffFailed(texts.cannotPrepare, texts.cannotPrepareText)}</template>
    ${handoffCodes.map((code) => {
      const { title, text } = texts.problems[code]
      return html`<template id="${code}">${handoffFailed(title, text)}</template>`
    })}
  `
  return {
    title: texts.checkoutTitle,
    place: 'payment',
    content,
    next: confirmingPage(frame, details),
  }
}

/** Leads to the hosted page as a separate page. Needs no script. */
function fullPageForm(
  { texts, language }: Frame,
  { id }: Order,
  { slot, look }: { readonly slot?: Html; readonly look: string },
): Html {
  return html`<form${slot} method="post" action="/checkout/start">
    <input type="hidden" name="orderId" value="${id}">
    <input type="hidden" name="locale" value="${language}">
    <button class="${look}">${texts.fullPage}</button>
  </form>`
}

/** `pages/checkout.ts` waits for the result, and then shows the order. */
export function confirmingPage(frame: Frame, { order }: OrderDetails): Page {
  const content = confirming(frame, order)
  return { title: frame.texts.confirmingTitle, place: 'payment', content }
}

/** The codes of a failed handoff that have their own text. */
const handoffCodes = [
  'no_response',
  'payment_unavailable',
  'rate_limited',
  'order_already_paid',
  'payment_in_progress',
  'payment_under_review',
] as const

/** Replaces the element's text. Its button requests the handoff again. */
function handoffFailed(title: string, text: string): Html {
  return html`<div slot="error"><h2>${title}</h2><p class="muted">${text}</p></div>`
}

function confirming({ texts }: Frame, { id }: Order): Html {
  return html`<div class="confirming" role="status" data-testid="order-state" data-state="processing" data-order="${id}">
    <img class="turning" src="/pictures/mark.svg" alt="" width="92" height="92">
    <div class="wait">
      <h1 tabindex="-1">${texts.confirmingTitle}</h1>
      <p class="muted">${texts.confirmingText}</p>
    </div>
    <div class="wait" id="long-wait" hidden>
      <h1>${texts.confirmingLong}</h1>
      <p class="muted">${texts.confirmingLongText}</p>
      <p><a class="button quiet" href="/orders/${id}">${texts.seeOrder}</a></p>
    </div>
  </div>`
}

const lock = html`<svg width="18" height="18" viewBox="0 0 24 24" fill="none" stroke="currentColor" stroke-width="2" aria-hidden="true">
  <rect x="4" y="10" width="16" height="11" rx="2.5" /><path d="M8 10V7a4 4 0 0 1 8 0v3" />
</svg>`
