import { createHandoff, newOrderId, PaymentIntents } from '@pi-checkout/server'

/** @type {import('@pi-checkout/server').HandoffOrder} Yours is a row that belongs to the buyer's session. */
let order = { orderId: newOrderId(), amount: 150000, currency: 'AMD' } // minor units: 1500.00 AMD

const checkout = createHandoff({
  intents: new PaymentIntents(), // PI_BASE_URL and PI_API_KEY; PI_HANDOFF_KEYS encrypts the cookie
  origin: process.env.SHOP_ORIGIN ?? 'http://localhost:3000', // the shop's own
  order: () => order,
  onIntent: (current, intent) => {
    order = { ...current, intentId: intent.id }
  },
  onPaid: (current) => {
    order = { ...current, paid: true }
  },
  onFailed: (current, { id }) => {
    if (order.intentId !== id) return // Polls may overlap: only the first one changes the order.
    order = { ...current, intentId: undefined, attempt: (current.attempt ?? 1) + 1 }
  },
})

// A handoff is Request → Response: POST /checkout/handoff and GET /checkout/status.
export { checkout as GET, checkout as POST }
