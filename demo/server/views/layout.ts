/** The frame of each page: head, header, and footer. @module */
import type { Currency } from '@pi-checkout/server'
import { languageNames, type Texts } from '../../texts/texts.ts'
import type { Assets } from '../assets.ts'
import type { Line } from '../cart.ts'
import { type Language, priceLists } from '../catalogue.ts'
import { type Html, html } from './html.ts'

/** What each page shows of its visitor and of the shop. */
export interface Frame {
  readonly language: Language
  readonly currency: Currency
  readonly texts: Texts
  readonly cart: readonly Line[]
  /** Path of the page. */
  readonly path: string
  readonly shopOrigin: string
  readonly checkoutOrigin: string
  readonly assets: Assets
  /** Address in the service's inspector, in development. */
  readonly inspectorUrl: string | undefined
}

export interface Page {
  readonly title: string
  /** Where the page is in the shop. */
  readonly place?: 'shop' | 'cart' | 'orders' | 'payment'
  readonly content: Html
  /** Where the language form leads. Default: the page itself. */
  readonly back?: string
}

/** Renders a whole page. */
export function renderPage(frame: Frame, page: Page): string {
  const { language } = frame
  return html`<!doctype html>
<html lang="${language}">
  <head>${head(frame, page)}</head>
  <body>
    ${framed(frame, page)}
    ${
      // The scripts of the payment form load before the form is opened, and after this page is painted.
      (page.place === 'cart' || page.place === 'payment') &&
      html`<iframe data-src="${frame.checkoutOrigin}/v1/preload" hidden></iframe>`
    }
  </body>
</html>
`.text
}

function framed(frame: Frame, page: Page): Html {
  const { texts } = frame
  return html`<div id="page">
      <a class="hidden-text" href="#content">${texts.skip}</a>
      <header class="top" id="top">${topRow(frame, page)}</header>
      <main id="content">
        <p class="notice bad" id="unreachable" role="alert" hidden>${texts.unreachable}</p>
        ${page.content}
      </main>
      <footer class="foot">
        <div class="foot-row">
          <span>${texts.footer}</span>
          ${inspectorLink(frame)}
        </div>
      </footer>
    </div>`
}

function head(frame: Frame, page: Page): Html {
  const { texts, assets, shopOrigin } = frame
  const isPayment = page.place === 'payment'
  const title = `${page.title} · Tsiran`
  const scripts = isPayment ? ['page.ts', 'checkout.ts'] : ['page.ts']
  const imports = new Set(scripts.flatMap((script) => assets.imports(script)))
  return html`
    <meta charset="utf-8">
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <meta name="color-scheme" content="light dark">
    <title>${title}</title>
    <meta name="description" content="${texts.description}">
    <meta property="og:site_name" content="Tsiran">
    <meta property="og:type" content="website">
    <meta property="og:title" content="${title}">
    <meta property="og:description" content="${texts.description}">
    <meta property="og:image" content="${shopOrigin}/pictures/card.png">
    <meta property="og:image:alt" content="${texts.heroPicture}">
    <meta name="twitter:card" content="summary_large_image">
    ${
      // The first view has the whole header, so that nothing in it moves.
      html`<link rel="expect" href="#top" blocking="render">`
    }
    <link rel="icon" href="/favicon.ico" sizes="32x32">
    <link rel="icon" href="/pictures/mark.svg" type="image/svg+xml">
    ${
      // The next page opens with its script.
      page.place === 'cart' && html`<link rel="modulepreload" href="${assets.url('checkout.ts')}">`
    }
    <link rel="stylesheet" href="${assets.url('styles/shop.css')}">
    ${[...imports].map((file) => html`<link rel="modulepreload" href="${file}">`)}
    ${scripts.map(
      (script) => html`<script type="module" src="${assets.url(script)}"></script>
    `,
    )}
    ${fontsOf(frame).map(
      (font) =>
        html`<link rel="preload" href="${assets.url(font)}" as="font" type="font/woff2" crossorigin>
    `,
    )}
  `
}

/** The fonts of the first screen: browsers warn of preloads that a page does not use. */
function fontsOf({ language, currency }: Frame): readonly string[] {
  const latin = ['lora-latin-600', 'manrope-latin-wght']
  const names = {
    en: latin,
    hy: [...latin, 'noto-sans-armenian-armenian-wght', 'noto-serif-armenian-armenian-600'],
    ru: [...latin, 'lora-cyrillic-600', 'manrope-cyrillic-wght'],
  }
  return [
    // First: without it the sign is a box, and the others are optional.
    ...(currency === 'AMD' ? ['fonts/dram.woff2'] : []),
    ...names[language].map((name) => `fonts/${name}-normal.woff2`),
  ]
}

function topRow(frame: Frame, page: Page): Html {
  const { place } = page
  const { texts, cart } = frame
  const pieces = cart.reduce((sum, { quantity }) => sum + quantity, 0)
  const at = (here: Page['place']) => here === place && html` aria-current="page"`
  return html`<div class="top-row">
    <a class="brand" href="/"><img src="/pictures/mark.svg" alt="" width="38" height="38">Tsiran</a>
    ${place !== 'payment' && html`<span class="break"></span>`}
    ${
      // Nothing leads away from a payment but the logo and "Edit cart".
      place !== 'payment' &&
      html`<nav>
        <a href="/"${at('shop')}>${texts.shop}</a>
        <a href="/orders"${at('orders')}>${texts.orders}</a>
      </nav>`
    }
    ${choices(frame, page)}
    ${
      place !== 'payment' &&
      html`<a class="button quiet cart-link" href="/cart"${at('cart')}>
        ${texts.cart} <span class="count" data-testid="cart-count">${pieces}</span>
      </a>`
    }
  </div>`
}

/**
 * The language, and the price list where prices can still change. Next to the payment form the page is not loaded
 * again, so that typed card data remains.
 */
function choices(frame: Frame, { place, back = frame.path }: Page): Html {
  const { language, currency, texts } = frame
  const stay = place === 'payment' && html` data-stay`
  const languages = Object.entries(languageNames)
  return html`<form class="choices" method="post" action="/preferences"${stay}>
    <input type="hidden" name="back" value="${back}">
    <select name="language" aria-label="${texts.language}" data-testid="language" autocomplete="off">
      ${languages.map(
        ([code, name]) =>
          html`<option value="${code}" lang="${code}"${selected(code === language)}>${name}</option>`,
      )}
    </select>
    ${
      (place === 'shop' || place === 'cart') &&
      html`<select name="currency" aria-label="${texts.prices}" data-testid="currency" autocomplete="off">
        ${priceLists.map((code) => html`<option${selected(code === currency)}>${code}</option>`)}
      </select>`
    }
    <noscript><button class="button quiet">${texts.apply}</button></noscript>
  </form>`
}

function selected(isSelected: boolean): Html | false {
  return isSelected && html` selected`
}

function inspectorLink({ inspectorUrl, texts }: Frame): Html | undefined {
  if (inspectorUrl === undefined) return undefined
  return html`<a class="foot-link" href="${inspectorUrl}" target="_blank" rel="noopener">${texts.inspector}</a>`
}
