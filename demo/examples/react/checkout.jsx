import { PiCheckout } from '@pi-checkout/element/react'
import { useEffect, useState } from 'react'
import { askHandoff, askState } from '../ask.js'

export function Checkout() {
  const [pair, setPair] = useState({})
  const [told, setTold] = useState('')

  // In an effect, so that no server ever renders the secret.
  useEffect(() => {
    askHandoff().then(setPair, (error) => setTold(error.message))
  }, [])

  const follow = () => askState().then(setTold)
  return (
    <>
      <PiCheckout {...pair} onFinish={follow} onCancel={follow}>
        <p>One moment…</p>
      </PiCheckout>
      <output>{told}</output>
    </>
  )
}
