/** Pages of the shop without loading them again: the difference is written into the open page. @module */
import { Idiomorph } from 'idiomorph'

export interface LoadedPage {
  readonly document: Document
  /** After redirects. */
  readonly path: string
}

/**
 * Loads a page, or sends a form. Its scripts do not run.
 *
 * XMLHttpRequest, because Trusted Types allow no page to parse HTML that `fetch` returned.
 *
 * @throws {Error} If no page arrives, or the shop is busy.
 */
export function load(path: string, form?: URLSearchParams): Promise<LoadedPage> {
  return new Promise((resolve, reject) => {
    const request = new XMLHttpRequest()
    const fail = (): void => reject(new Error(`${path} returned ${request.status}`))
    request.open(form ? 'POST' : 'GET', path)
    request.responseType = 'document'
    request.timeout = 20_000
    request.onerror = request.ontimeout = fail
    request.onload = () => {
      const { status, responseXML: document, responseURL } = request
      if (!document || status === 429 || status >= 500) return fail()
      resolve({ document, path: new URL(responseURL).pathname })
    }
    request.send(form)
  })
}

/** Shows the same page as it is now. Equal elements stay: a payment form, the focus, and what is announced. */
export function show({ document: page }: LoadedPage): void {
  const current = document.querySelector('#page')
  const next = page.querySelector('#page')
  if (!current || !next) return
  document.title = page.title
  document.documentElement.lang = page.documentElement.lang
  void Idiomorph.morph(current, next)
}

/** Shows another page. Loads it if that fails. */
export async function turnTo(path: string): Promise<void> {
  try {
    const page = await load(path)
    history.replaceState(null, '', page.path)
    document.title = page.document.title
    turn('#page', page.document.querySelector('#page'))
    void followOrders()
  } catch {
    location.replace(path)
  }
}

/** The pages of orders let the shop check their payments when they open, and again while the bank is processing. */
export async function followOrders(): Promise<void> {
  const followed = [...document.querySelectorAll<HTMLElement>('[data-follow]')]
  if (followed.length === 0) return
  try {
    const orderIds = followed.map(({ dataset }) => dataset.follow ?? '')
    await Promise.all(
      orderIds.map((orderId) => fetch(`/checkout/status?${new URLSearchParams({ orderId })}`)),
    )
    show(await load(location.pathname))
  } catch {
    // The page shows the order as it is stored.
  }
  if (document.querySelector('[data-state=processing]')) setTimeout(followOrders, 3000)
}

/** Replaces a part of the page, scrolls to the top, and sets the focus on the heading, as after loading a page. */
export function turn(selector: string, content: Node | null): void {
  document.querySelector(selector)?.replaceWith(content ?? '')
  scrollTo(0, 0)
  focusHeading()
}

export function focusHeading(): void {
  document.querySelector<HTMLElement>('h1')?.focus({ preventScroll: true })
}
