/**
 * The integration in the page, from the handoff to the result. `server/checkout.ts` is the other half.
 *
 * 1. The element requests the handoff from the shop, and shows the hosted checkout.
 * 2. Its events prove nothing: when it ends, the shop is asked for the result.
 *
 * @module
 */
import { configureCheckout, type PiCheckout } from '@pi-checkout/element'
import { followPayment, HandoffError, postHandoff } from '@pi-checkout/element/client'
import { load, turn, turnTo } from './visit.ts'

const checkout = document.querySelector('pi-checkout')
const orderId = document.querySelector<HTMLElement>('[data-order]')?.dataset.order ?? ''
if (checkout) mount(checkout)
else void confirm()

function mount(checkout: PiCheckout): void {
  configureCheckout({
    checkoutOrigin: checkout.dataset.origin ?? '',
    appearance: JSON.parse(checkout.dataset.appearance ?? '{}'),
  })
  const otherWay = checkout.querySelector<HTMLElement>('[slot=page]')
  if (otherWay) otherWay.hidden = true
  checkout.addEventListener('pi-finish', () => void leave())
  checkout.addEventListener('pi-cancel', () => void leave())
  checkout.addEventListener('pi-error', async ({ error }) => {
    checkout.querySelector('[slot=error]')?.remove()
    const isFromShop = error.code === 'handoff_failed'
    const isResultUnknown = !isFromShop && (await isUnknown())
    // The checkout rejects id and secret: the shop knows whether the order was paid. If not, the element says what to do.
    if (error.code === 'unauthorized') await (isResultUnknown ? leave() : followChange())
    // The full page helps if the frame is blocked, not while the service does not respond.
    if (otherWay) otherWay.hidden = isFromShop || isResultUnknown
    if (!isFromShop) return
    await followChange()
    const code = error.cause instanceof HandoffError ? error.cause.code : 'no_response'
    const texts = document.getElementById(code) ? code : 'handoff-failed'
    checkout.append(copyOf(texts))
  })
  document.addEventListener('visibilitychange', () => {
    if (checkout.isConnected && document.visibilityState === 'visible') void followChange()
  })
  checkout.fetchHandoff = (options) => postHandoff('/checkout/handoff', { ...options, orderId })
}

/** Another tab may have paid or closed the order. Then the shop leads to the receipt, the payment, or the cart. */
async function followChange(): Promise<void> {
  const page = await load(location.pathname).catch(() => undefined)
  if (page && page.path !== location.pathname) location.reload()
}

/** The buyer is done with the form, or canceled. What follows appears in the same document. */
async function leave(): Promise<void> {
  // The form's own result remains visible until the shop responds, and mostly knows it.
  const isKnown = !(await isUnknown())
  // The addresses of the pages, for reload and Back.
  history.pushState(null, '', `/confirming/${orderId}`)
  addEventListener('popstate', () => location.reload())
  if (isKnown) return await turnTo(`/orders/${orderId}`)
  turn('#page', copyOf('next'))
  await confirm()
}

/** Waits until the shop knows the result, and shows the order. */
async function confirm(): Promise<void> {
  const startedAt = Date.now()
  // Also if the form was left without a payment, or the bank is processing it, which the order's page follows.
  while (await isUnknown()) {
    if (Date.now() - startedAt > 20_000) showLongWait()
    if (await follow(10_000)) break
  }
  await turnTo(`/orders/${orderId}`)
}

/** Follows the payment for the given milliseconds. Returns whether the shop knows its result. */
async function follow(timeout: number): Promise<boolean> {
  const signal = AbortSignal.timeout(timeout)
  return followPayment(statusUrl(), { signal }).then(
    () => true,
    () => false,
  )
}

/** Returns whether the shop cannot tell what became of the payment. */
async function isUnknown(): Promise<boolean> {
  const signal = AbortSignal.timeout(2000)
  const response = await fetch(statusUrl(), { signal }).catch(() => undefined)
  if (!response || response.status >= 500) return true
  const { phase } = await response.json()
  return phase === 'unknown'
}

function statusUrl(): string {
  return `/checkout/status?${new URLSearchParams({ orderId })}`
}

function showLongWait(): void {
  for (const wait of document.querySelectorAll<HTMLElement>('.wait')) {
    wait.hidden = wait.id !== 'long-wait'
  }
}

function copyOf(template: string): Node {
  const { content } = document.querySelector<HTMLTemplateElement>(`#${template}`) ?? {}
  return content?.cloneNode(true) ?? new Text()
}
