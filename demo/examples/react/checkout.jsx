import { PiCheckout } from '@pi-checkout/element/react'

const showPhase = ({ phase }) => {
  document.title = phase
}

/** @param {{ orderId?: string }} props */
export const Checkout = ({ orderId }) => (
  <PiCheckout basePath="/checkout" orderId={orderId} onPhase={showPhase}>
    <p>Loading the payment form…</p>
  </PiCheckout>
)
