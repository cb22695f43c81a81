/**
 * What this shop adds to the element, which requests the handoff and follows the payment. `server/checkout.ts` is the other
 * half.
 *
 * 1. Every result has its page: that of the order.
 * 2. An order that another tab has closed leads to the cart.
 *
 * @module
 */
import { configureCheckout, type PiCheckout } from '@pi-checkout/element'
import { load, turnTo } from './visit.ts'

const checkout = document.querySelector('pi-checkout')
if (checkout) mount(checkout)

function mount(checkout: PiCheckout): void {
  configureCheckout({
    checkoutOrigin: checkout.dataset.origin ?? '',
    appearance: JSON.parse(checkout.dataset.appearance ?? '{}'),
  })
  checkout.addEventListener('pi-phase', ({ phase, orderId }) => {
    if (phase === 'open') return
    history.pushState(null, '', `/orders/${orderId}`)
    addEventListener('popstate', () => location.reload())
    void turnTo(`/orders/${orderId}`)
  })
  const otherWay = checkout.querySelector<HTMLElement>('[slot=page]')
  if (otherWay) otherWay.hidden = true
  checkout.addEventListener('pi-error', ({ error }) => {
    // The full page helps if the frame is blocked, not while the service does not respond.
    if (otherWay) otherWay.hidden = error.code === 'handoff_failed'
    void followChange()
  })
  document.addEventListener('visibilitychange', () => {
    if (checkout.isConnected && document.visibilityState === 'visible') void followChange()
  })
}

/** Then the shop leads to the receipt, the payment, or the cart. */
async function followChange(): Promise<void> {
  const page = await load(location.pathname).catch(() => undefined)
  if (page && page.path !== location.pathname) location.reload()
}
