import { PiCheckout } from '@pi-checkout/element/react'
import { useEffect, useState } from 'react'
import { pollState, requestHandoff } from '../shop-api.js'

export function Checkout() {
  const [handoff, setHandoff] = useState({})
  const [result, setResult] = useState('')

  // In an effect, so that no server renders the secret.
  useEffect(() => {
    requestHandoff().then(setHandoff, (error) => setResult(error.message))
  }, [])

  const showResult = () => pollState().then(setResult)
  return (
    <>
      <PiCheckout {...handoff} onFinish={showResult} onCancel={showResult}>
        <p>Loading the payment form…</p>
      </PiCheckout>
      <output>{result}</output>
    </>
  )
}
