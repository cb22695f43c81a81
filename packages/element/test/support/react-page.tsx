/** A shop's checkout page in React, rendered in the browser or hydrated from a server's HTML. @module */
import { configureCheckout } from '@pi-checkout/element'
import { PiCheckout, useCheckout } from '@pi-checkout/element/react'
import { type ReactNode, StrictMode } from 'react'
import { createRoot, hydrateRoot } from 'react-dom/client'

export function Checkout(): ReactNode {
  const routes = { handoff: '/checkout/handoff', status: '/checkout/status' }
  const { props, phase, error } = useCheckout(routes)
  return (
    <>
      <PiCheckout id="pay" className="checkout" {...props}>
        <p>Loading…</p>
      </PiCheckout>
      <output>
        {phase ?? (error && 'The payment form could not be loaded. Reload the page.')}
      </output>
    </>
  )
}

export function start(root: HTMLElement, checkoutOrigin: string): void {
  configureCheckout({ checkoutOrigin })
  const page = (
    <StrictMode>
      <Checkout />
    </StrictMode>
  )
  if (root.hasChildNodes()) hydrateRoot(root, page)
  else createRoot(root).render(page)
}
