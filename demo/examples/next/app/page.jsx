import { order } from '../shop.js'
import { Payment } from './payment.jsx'

// For each request, not once at build time: the order changes, and the variable belongs to the running shop.
export const dynamic = 'force-dynamic'

export default function Page() {
  if (order.paid) return <p>Paid</p>
  return (
    <main>
      <h1>1500.00 AMD</h1>
      <Payment checkoutOrigin={process.env.PI_CHECKOUT_ORIGIN} />
    </main>
  )
}
