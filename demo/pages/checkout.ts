/**
 * The integration in the page, from the handoff to the result. `server/checkout.ts` is the other half.
 *
 * 1. The element requests the handoff from the shop, and shows the hosted checkout.
 * 2. Its events prove nothing: when it ends, the shop is asked for the result.
 *
 * @module
 */
import { defineCheckout, type PiCheckout } from '@pi-checkout/element'
import { followPayment, HandoffError, type Phase, postHandoff } from '@pi-checkout/element/client'
import { load, show, turn, turnTo } from './visit.ts'

const checkout = document.querySelector('pi-checkout')
const orderId = document.querySelector<HTMLElement>('[data-order]')?.dataset.order ?? ''
if (checkout) mount(checkout)
else void confirm(askForPhase(0))

function mount(checkout: PiCheckout): void {
  defineCheckout({
    checkoutOrigin: checkout.dataset.origin ?? '',
    // The shop's colors, so that the form looks like a part of this page.
    appearance: {
      accent: { light: '#ad4318', dark: '#f19a58' },
      background: { light: '#fffdf9', dark: '#231d19' },
      text: { light: '#2a2019', dark: '#f3eadf' },
      radius: 12,
    },
  })
  checkout.addEventListener('pi-finish', () => void leave())
  checkout.addEventListener('pi-cancel', () => void leave())
  checkout.addEventListener('pi-error', async ({ error }) => {
    checkout.querySelector('[slot=error]')?.remove()
    // The checkout rejects id and secret: the shop knows whether the order was paid.
    if (error.code === 'unauthorized') await leave()
    if (error.code !== 'handoff_failed') return
    await followChange(checkout)
    const often = error.cause instanceof HandoffError && error.cause.status === 429
    checkout.append(copyOf(often ? 'too-many-handoffs' : 'handoff-failed'))
  })
  document.addEventListener('visibilitychange', () => {
    if (checkout.isConnected && document.visibilityState === 'visible') void followChange(checkout)
  })
  checkout.fetchHandoff = (options) => postHandoff('/checkout/handoff', { ...options, orderId })
}

/** Another tab may have paid or changed the order or the cart: the buyer must not pay an earlier version. */
async function followChange(checkout: PiCheckout): Promise<void> {
  const page = await load(location.pathname).catch(() => undefined)
  if (!page) return
  // The shop leads to the receipt, to the pending payment, or to the cart.
  if (page.path !== location.pathname) return location.reload()
  const now = page.document.querySelector<HTMLElement>('pi-checkout')?.dataset.version
  if (now === checkout.dataset.version) return
  show(page)
  document.querySelector('#changed')?.removeAttribute('hidden')
  checkout.handoff = null
}

/** The buyer is done with the form, or canceled. What follows appears in the same document. */
async function leave(): Promise<void> {
  const asked = askForPhase(0)
  // The form's own result remains visible for a moment, and mostly the shop knows it then.
  const phase = await Promise.race([asked, pause(300)])
  // The addresses of the pages, for reload and Back.
  history.pushState(null, '', `/confirming/${orderId}`)
  addEventListener('popstate', () => location.reload())
  if (phase !== 'paid' && phase !== 'failed') turn('#page', copyOf('next'))
  await confirm(asked)
}

/** Follows the payment until the shop knows the result, and shows the order. */
async function confirm(first: Promise<Phase>): Promise<void> {
  const startedAt = Date.now()
  let phase = await first
  // The bank's response may be on its way.
  if (phase === 'open' || phase === 'unknown') phase = await askForPhase(3000)
  while (phase !== 'paid' && phase !== 'failed') {
    // Retrieves old intents too: a buyer who paid one must not pay twice. While the bank is processing, the shop
    // locks the cart.
    const order = await load(`/orders/${orderId}/settle`, new URLSearchParams()).catch(
      () => undefined,
    )
    if (order?.document.querySelector('[data-testid=stray-payment]')) break
    if (phase === 'open' && !order?.document.querySelector('[data-state=processing]')) break
    if (Date.now() - startedAt > 20_000) showLongWait()
    phase = await askForPhase(10_000)
  }
  await turnTo(`/orders/${orderId}`)
}

/** Asks the shop, which retrieves the intent and compares it with the order. */
function askForPhase(timeout: number): Promise<Phase> {
  const query = new URLSearchParams({ orderId })
  return followPayment(`/checkout/status?${query}`, { timeout })
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

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms))
}
