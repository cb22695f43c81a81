'use client'
import { PiCheckout, useCheckout } from '@pi-checkout/element/react'

const routes = { handoff: '/checkout/handoff', status: '/checkout/status' }

export function Payment({ checkoutOrigin }) {
  const { props, phase, error } = useCheckout(routes)
  return (
    <>
      <PiCheckout checkoutOrigin={checkoutOrigin} {...props}>
        <p>Loading the payment form…</p>
      </PiCheckout>
      <output>{phase ?? (error?.cause ?? error)?.message}</output>
      {phase === 'failed' && (
        <button type="button" onClick={() => location.reload()}>
          Try again
        </button>
      )}
    </>
  )
}
