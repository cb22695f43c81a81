import { PiCheckout, useCheckout } from '@pi-checkout/element/react'

const routes = { handoff: '/checkout/handoff', status: '/checkout/status' }

export function Checkout() {
  const { props, phase, error } = useCheckout(routes)
  return (
    <>
      <PiCheckout {...props}>
        <p>Loading the payment form…</p>
      </PiCheckout>
      <output>{phase ?? (error?.cause ?? error)?.message}</output>
    </>
  )
}
