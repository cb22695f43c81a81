/** What all pages have: head, header, and footer. @module */
import { type Html, html } from './html.ts'

export interface Page {
  readonly title: string
  readonly content: Html
  /** Loads `<pi-checkout>`. Nothing but the logo and "Edit order" leads away. */
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
export function renderPage(
  { title, content, isPayment, isWaiting, intentId }: Page,
  { pieces, checkoutOrigin, inspectorUrl }: Frame,
): string {
  const shownIntent = intentId && `#/intents/${intentId}`
  return html`<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8">
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <title>${title} · Tsiran</title>
    <link rel="icon" href="/pictures/mark.svg" type="image/svg+xml">
    <link rel="stylesheet" href="/styles/base.css">
    <link rel="stylesheet" href="/styles/pages.css">
    ${fonts.map((name) => html`<link rel="preload" href="/fonts/${name}.woff2" as="font" type="font/woff2" crossorigin>`)}
    <script type="module" src="/shop.js"></script>
    ${isPayment && html`<script type="module" src="${checkoutOrigin}/v1/pi-checkout.js"></script>`}
    ${isWaiting && html`<noscript><meta http-equiv="refresh" content="5"></noscript>`}
  </head>
  <body>
    <header class="row">
      <a class="brand" href="/"><img src="/pictures/mark.svg" alt="" width="38" height="38">Tsiran</a>
      ${!isPayment && html`<a class="button quiet" href="/cart">Cart ${pieces > 0 && html`<span class="count" data-testid="cart-count">${pieces}</span>`}</a>`}
    </header>
    <main${isWaiting && html` data-waiting`}>${content}</main>
    <footer class="row small">
      <p>This is a demo shop. Nothing is shipped, and real cards are not accepted.</p>
      <nav class="row actions" aria-label="About this shop">
        <a href="/how-this-shop-takes-payments">How this shop takes payments</a>
        <a href="/staff">For the staff</a>
        ${inspectorUrl && html`<a href="${inspectorUrl}${shownIntent}" target="_blank" rel="noopener">Service inspector</a>`}
      </nav>
    </footer>
  </body>
</html>
`.text
}

// First the dram sign: without it the sign is a box, and the others are optional.
const fonts = ['dram', 'lora-latin-600-normal', 'manrope-latin-wght-normal']
