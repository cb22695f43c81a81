/** What all pages have: head, header, and footer. @module */
import { type Html, html } from './html.ts'

export interface Page {
  readonly title: string
  readonly content: Html
  /** Loads `<pi-checkout>`. Nothing but the logo and "Edit cart" leads away. */
  readonly isPayment?: boolean
  /** Shows a payment that the bank is processing. */
  readonly isWaiting?: boolean
  /** The payment of the page. */
  readonly intentId?: string | undefined
}

export interface Frame {
  /** Number of pieces in the cart. */
  readonly pieces: number
  readonly checkoutOrigin: string
  readonly inspectorUrl: string | undefined
}

/** Renders a whole page. */
export function renderPage(page: Page, frame: Frame): string {
  const { title, content, isPayment, isWaiting } = page
  const { checkoutOrigin } = frame
  return html`<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8">
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <meta name="description" content="Clay, copper, wool, and fruit from eight small workshops across Armenia.">
    <title>${title} · Tsiran</title>
    <link rel="icon" href="/favicon.ico" sizes="32x32">
    <link rel="icon" href="/pictures/mark.svg" type="image/svg+xml">
    ${['base', 'shop', 'order'].map((name) => html`<link rel="stylesheet" href="/styles/${name}.css">`)}
    ${fonts.map((name) => html`<link rel="preload" href="/fonts/${name}.woff2" as="font" type="font/woff2" crossorigin>`)}
    <script type="module" src="/shop.js"></script>
    ${isPayment && html`<script type="module" src="${checkoutOrigin}/v1/pi-checkout.js"></script>`}
    ${isWaiting && html`<noscript><meta http-equiv="refresh" content="5"></noscript>`}
  </head>
  <body>
    <a class="skip" href="#content">Skip to the content</a>
    <header class="top"><div class="page row">${topRow(page, frame)}</div></header>
    <main class="page" id="content"${isWaiting && html` data-waiting`}>${content}</main>
    <footer class="foot"><div class="page row small">${footRow(page, frame)}</div></footer>
  </body>
</html>
`.text
}

// First the dram sign: without it the sign is a box, and the others are optional.
const fonts = ['dram', 'lora-latin-600-normal', 'manrope-latin-wght-normal']

function topRow({ isPayment }: Page, { pieces }: Frame): Html {
  const cart = html`<a class="button quiet" href="/cart">Cart <span class="count" data-testid="cart-count">${pieces}</span></a>`
  return html`<a class="brand" href="/"><img src="/pictures/mark.svg" alt="" width="38" height="38">Tsiran</a>
    ${!isPayment && cart}`
}

function footRow({ intentId }: Page, { inspectorUrl }: Frame): Html {
  const shown = intentId === undefined ? '' : `#/intents/${intentId}`
  return html`<p>This is a demo shop. Nothing is shipped, and real cards are not accepted.</p>
    <nav class="row" aria-label="About this shop">
      <a href="/how-this-shop-takes-payments">How this shop takes payments</a>
      <a href="/staff">For the staff</a>
      ${inspectorUrl && html`<a href="${inspectorUrl}${shown}" target="_blank" rel="noopener">Service inspector</a>`}
    </nav>`
}
