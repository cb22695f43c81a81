/**
 * A shop's checkout page in React, as a page of its own and as hydrated HTML of a server.
 *
 * @module
 */
import { configureCheckout } from '@pi-checkout/element'
import { PiCheckout } from '@pi-checkout/element/react'
import { type ReactNode, StrictMode, useEffect, useState } from 'react'
import { createRoot, hydrateRoot } from 'react-dom/client'

interface Handoff {
  readonly id: string
  readonly clientSecret: string
}

export function Checkout(): ReactNode {
  const [handoff, setHandoff] = useState<Handoff>()
  const [finished, setFinished] = useState('')
  useEffect(() => {
    // The browser asks for the handoff, so that no server renders a secret.
    const headers = { 'content-type': 'application/json' }
    void fetch('/checkout/handoff', { method: 'POST', headers, body: '{}' })
      .then((answer) => answer.json())
      .then(setHandoff)
  }, [])
  return (
    <StrictMode>
      <PiCheckout
        id="pay"
        className="checkout"
        intentId={handoff?.id}
        clientSecret={handoff?.clientSecret}
        onFinish={({ intentId }) => setFinished(intentId)}
      >
        <p>Waiting</p>
      </PiCheckout>
      <output>{finished}</output>
    </StrictMode>
  )
}

export function start(root: HTMLElement, origin: string): void {
  configureCheckout({ origin })
  if (root.hasChildNodes()) hydrateRoot(root, <Checkout />)
  else createRoot(root).render(<Checkout />)
}
