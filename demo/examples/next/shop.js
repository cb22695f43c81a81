import { createCheckout, memoryPayments, PaymentIntents } from '@pi-checkout/server'

const orderId = crypto.randomUUID().replaceAll('-', '')
// In the process, because Next bundles each route for itself. Yours are in a database. 1500.00 AMD.
globalThis.order ??= { orderId, amount: 150000, currency: 'AMD' }
globalThis.payments ??= memoryPayments() // Yours: sqlPayments(query).

/** @type {{ orderId: string, amount: number, currency: 'AMD', paidBy?: string }} */
const order = globalThis.order

export const checkout = createCheckout({
  intents: new PaymentIntents(), // PI_BASE_URL and PI_API_KEY
  shopOrigin: `http://localhost:${process.env.PORT ?? 3000}`,
  authorize: () => order.orderId, // Yours: the order of the buyer's session.
  order: () => order,
  payments: globalThis.payments,
  onPaid: ({ payment }) => {
    order.paidBy = payment.intentId
    return true
  },
})
