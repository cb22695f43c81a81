import { PiCheckout } from '@pi-checkout/element/react'
import { connection } from 'next/server'
import { Suspense } from 'react'

export default function Page() {
  return (
    <Suspense fallback={<p>Loading…</p>}>
      <Checkout />
    </Suspense>
  )
}

async function Checkout() {
  // Renders for each request, not once at build time: the variable belongs to the running shop.
  await connection()
  return (
    <main>
      <h1>1500.00 AMD</h1>
      <PiCheckout checkoutOrigin={process.env.PI_CHECKOUT_ORIGIN} basePath="/checkout">
        <p>Loading the payment form…</p>
      </PiCheckout>
    </main>
  )
}
