/** Header and footer of each page, and error pages. @module */
import { html, nothing, render, type TemplateResult } from 'lit'
import type { Frame } from '../server/page-data.ts'
import { languageNames, texts } from './language.ts'
import { RequestError, request } from './request.ts'

/** The current page, for the header. */
export type Place = 'shop' | 'cart' | 'orders' | 'other'

/** Renders a whole page. Rendering again changes only what differs. */
export function drawPage(
  {
    frame,
    title,
    place,
  }: { readonly frame?: Frame | undefined; readonly title: string; readonly place: Place },
  content: TemplateResult,
): void {
  document.title = `${title} · Tsiran`
  const page = document.querySelector<HTMLElement>('#page')
  if (!page) return
  page.toggleAttribute('data-unknown', frame === undefined)
  const { inspectorUrl } = frame ?? unknownFrame
  if (turning) render(nothing, page)
  render(
    html`
      <a class="hidden-text" href="#content">${texts.skip}</a>
      <header class="top">${topRow(frame ?? unknownFrame, place)}</header>
      <main id="content">${content}</main>
      <footer class="foot">
        <div class="foot-row">
          <span>${texts.footer}</span>
          ${inspectorUrl ? html`<a class="foot-link" href=${inspectorUrl} target="_blank" rel="noopener">Service inspector</a>` : nothing}
        </div>
      </footer>
    `,
    page,
  )
  if (turning) arrive(page)
  turning = false
}

/**
 * Shows a page, or an error page if that fails.
 *
 * A page from the back/forward cache is reloaded, because the shop may have changed.
 */
export async function openPage(show: () => Promise<void>): Promise<void> {
  addEventListener('pageshow', ({ persisted }) => {
    if (persisted) location.reload()
  })
  await goOn(show)
}

/** Shows the next page in the same document, or an error page. */
export async function goOn(show: () => Promise<void>): Promise<void> {
  try {
    await show()
  } catch (error) {
    drawFailure(error)
  }
}

/**
 * Makes the next rendering a new page in the same document: without elements of the old one, scrolled to its
 * top, with the focus on its heading, as after loading a page.
 */
export function turnPage(): void {
  turning = true
}

let turning = false

function arrive(page: HTMLElement): void {
  scrollTo(0, 0)
  const heading = page.querySelector('h1')
  heading?.setAttribute('tabindex', '-1')
  heading?.focus({ preventScroll: true })
}

/** Runs the action of a button, one at a time. Shows an error page if it fails. */
export function act(work: () => Promise<void>): (event: Event) => Promise<void> {
  return async ({ currentTarget }) => {
    if (!currentTarget || busy.has(currentTarget)) return
    // Not `disabled`, because the button would lose the focus.
    busy.add(currentTarget)
    await work().catch(drawFailure)
    busy.delete(currentTarget)
  }
}

const busy = new WeakSet<EventTarget>()

/** A page with a picture, a heading, a sentence, and an action. */
export function blank(
  {
    title,
    text,
    picture,
  }: { readonly title: string; readonly text: string; readonly picture: string },
  action: TemplateResult,
): TemplateResult {
  return html`<div class="blank">
    <img src="/pictures/${picture}.svg" alt="" width="240" height="240">
    <h1 tabindex="-1">${title}</h1>
    <p class="muted">${text}</p>
    ${action}
  </div>`
}

function drawFailure(error: unknown): void {
  const status = error instanceof RequestError ? error.status : 0
  // Cart or order was changed in another tab.
  if (status === 409) {
    location.reload()
    return
  }
  if (status === 404) {
    const link = html`<a class="button" href="/">${texts.toShop}</a>`
    const { notFound: title, notFoundText: text } = texts
    drawPage({ title, place: 'other' }, blank({ title, text, picture: 'coffee-cups' }, link))
    return
  }
  const title = texts.failed
  const text = status === 403 ? texts.needsCookie : texts.failedPageText
  const retry = html`<button class="button" @click=${() => location.reload()}>${texts.again}</button>`
  drawPage({ title, place: 'other' }, blank({ title, text, picture: 'copper-jazve' }, retry))
}

/** Invisible values that reserve the space of the real ones, so that nothing moves when they arrive. */
const unknownFrame: Frame = {
  language: document.documentElement.lang,
  currency: 'AMD',
  currencies: ['AMD'],
  pieces: 0,
  inspectorUrl: '/',
}

function topRow(frame: Frame, place: Place): TemplateResult {
  const at = (here: Place) => (here === place ? 'page' : nothing)
  return html`<div class="top-row">
    <a class="brand" href="/"><img src="/pictures/mark.svg" alt="" width="38" height="38">Tsiran</a>
    <span class="break"></span>
    <nav>
      <a href="/" aria-current=${at('shop')}>${texts.shop}</a>
      <a href="/orders" aria-current=${at('orders')}>${texts.orders}</a>
    </nav>
    ${choices(frame)}
    <a class="cart-link" href="/cart" aria-current=${at('cart')}>
      ${texts.cart} <span class="count" data-testid="cart-count">${frame.pieces}</span>
    </a>
  </div>`
}

function choices({ language, currency, currencies }: Frame): TemplateResult {
  return html`<div class="choices">
    <select aria-label=${texts.language} data-testid="language"
      @change=${(event: Event) => choose({ language: chosen(event) })}>
      ${Object.entries(languageNames).map(
        ([code, name]) =>
          html`<option value=${code} lang=${code} ?selected=${code === language}>${name}</option>`,
      )}
    </select>
    <select aria-label=${texts.prices} data-testid="currency"
      @change=${(event: Event) => choose({ currency: chosen(event) })}>
      ${currencies.map(
        (code) => html`<option value=${code} ?selected=${code === currency}>${code}</option>`,
      )}
    </select>
  </div>`
}

function chosen({ currentTarget }: Event): string {
  return currentTarget instanceof HTMLSelectElement ? currentTarget.value : ''
}

async function choose(preferences: object): Promise<void> {
  await request('/api/preferences', { method: 'PUT', body: preferences }).then(
    () => location.reload(),
    drawFailure,
  )
}
