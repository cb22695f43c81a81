import { readFileSync } from 'node:fs'
import { createCheckout, memoryPayments, PaymentIntents } from '@pi-checkout/server'

export const { PORT = 3000, PI_CHECKOUT_ORIGIN = '' } = process.env

/** @type {{ orderId: string, amount: number, currency: 'AMD', session: string, paidBy?: string }[]} */
const orders = [] // Yours are rows of a database.
const page = readFileSync(new URL('checkout.html', import.meta.url), 'utf8')

export const checkout = createCheckout({
  intents: new PaymentIntents(), // PI_BASE_URL and PI_API_KEY
  shopOrigin: `http://localhost:${PORT}`,
  authorize: ({ request }) => orderOf(request.headers.get('cookie'))?.orderId,
  order: (orderId) => orders.find((order) => order.orderId === orderId),
  payments: memoryPayments(), // Yours: sqlPayments(query).
  onPaid: ({ orderId, payment }) => {
    const order = orders.find((one) => one.orderId === orderId)
    if (!order || (order.paidBy && order.paidBy !== payment.intentId)) return false
    order.paidBy = payment.intentId
    return true
  },
})
await checkout.start() // A missing variable, a wrong key or no service: now, not at the first buyer.

/** Returns the order of the buyer's session. */
function orderOf(cookie) {
  const session = /\bsession=([\w-]+)/.exec(cookie ?? '')?.[1]
  return orders.find((order) => order.session === session)
}

/** Stores the order of a new session. */
function addOrder() {
  orders.push({
    orderId: crypto.randomUUID().replaceAll('-', ''),
    amount: 150000, // 1500.00 AMD
    currency: 'AMD',
    session: crypto.randomUUID(),
  })
  return orders[orders.length - 1]
}

/** Returns the buyer's page, and the header that stores the session. */
export function render(cookie) {
  const order = orderOf(cookie) ?? addOrder()
  const html = page.replaceAll('CHECKOUT', PI_CHECKOUT_ORIGIN)
  return { html, setCookie: `session=${order.session}; HttpOnly; SameSite=Lax; Path=/` }
}
