import { createCheckout, memoryPayments, PaymentIntents } from '@pi-checkout/server'

/** Yours is a row of a database. @type {{ orderId: string, amount: number, currency: 'AMD', paidBy?: string }} */
const order = { orderId: crypto.randomUUID().replaceAll('-', ''), amount: 150000, currency: 'AMD' } // 1500.00 AMD

export const checkout = createCheckout({
  intents: new PaymentIntents(), // PI_BASE_URL and PI_API_KEY
  shopOrigin: `http://localhost:${process.env.PORT ?? 3000}`,
  authorize: () => order.orderId, // Yours: the order of the buyer's session.
  order: () => order,
  payments: memoryPayments(), // Yours: sqlPayments(query).
  onPaid: ({ payment }) => {
    order.paidBy = payment.intentId
    return true
  },
})
