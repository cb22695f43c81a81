import { connection } from 'next/server'
import { Suspense } from 'react'
import { order } from '../shop.js'
import { Payment } from './payment.jsx'

export default function Page() {
  return (
    <Suspense fallback={<p>Loading…</p>}>
      <Checkout />
    </Suspense>
  )
}

async function Checkout() {
  // Renders for each request, not once at build time: the order changes, and the variable belongs to the running shop.
  await connection()
  if (order.paidBy) return <p>Paid</p>
  return (
    <main>
      <h1>1500.00 AMD</h1>
      <Payment checkoutOrigin={process.env.PI_CHECKOUT_ORIGIN} />
    </main>
  )
}
