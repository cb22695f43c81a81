/** A shop's checkout page in React, rendered in the browser or hydrated from a server's HTML. @module */
import { configureCheckout } from '@pi-checkout/element'
import { PiCheckout, useCheckout } from '@pi-checkout/element/react'
import { createElement, Fragment, type ReactNode, StrictMode } from 'react'
import { createRoot, hydrateRoot } from 'react-dom/client'

// Without JSX, which Playwright compiles for its own components.
export function Checkout(): ReactNode {
  const routes = { handoff: '/checkout/handoff', status: '/checkout/status' }
  const { props, phase, error } = useCheckout(routes)
  const waiting = createElement('p', {}, 'Loading…')
  return createElement(
    Fragment,
    {},
    createElement(PiCheckout, { id: 'pay', className: 'checkout', ...props }, waiting),
    createElement(
      'output',
      {},
      phase ?? (error && 'The payment form could not be loaded. Reload the page.'),
    ),
  )
}

export function start(root: HTMLElement, checkoutOrigin: string): void {
  configureCheckout({ checkoutOrigin })
  const page = createElement(StrictMode, {}, createElement(Checkout))
  if (root.hasChildNodes()) hydrateRoot(root, page)
  else createRoot(root).render(page)
}
