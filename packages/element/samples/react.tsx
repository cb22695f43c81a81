/**
 * A shop's checkout page in React, rendered in the browser or hydrated from a server's HTML.
 *
 * @module
 */
import { configureCheckout } from '@pi-checkout/element'
import { PiCheckout } from '@pi-checkout/element/react'
import { type ReactNode, StrictMode, useEffect, useState } from 'react'
import { createRoot, hydrateRoot } from 'react-dom/client'
import { type Handoff, requestHandoff } from './handoff.ts'

export function Checkout(): ReactNode {
  const [handoff, setHandoff] = useState<Handoff>()
  const [failed, setFailed] = useState(false)
  const [finished, setFinished] = useState('')
  useEffect(() => {
    void requestHandoff().then(setHandoff, () => setFailed(true))
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
        <p>{failed ? 'The payment form could not be loaded. Reload the page.' : 'Loading…'}</p>
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
