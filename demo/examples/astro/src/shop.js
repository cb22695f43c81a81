import { createHandoff, newOrderId, PaymentIntents } from '@pi-checkout/server'

/** @type {import('@pi-checkout/server').HandoffOrder} Yours is a row that belongs to the buyer's session. */
export const order = { orderId: newOrderId(), amount: 150000, currency: 'AMD', intentId: null } // 1500.00 AMD

export const checkout = createHandoff({
  intents: new PaymentIntents(), // PI_BASE_URL and PI_API_KEY
  shopOrigin: `http://localhost:${process.env.PORT ?? 3000}`,
  order: () => ({ ...order }), // In SQL, saveIntent has "where amount = … and attempt = …".
  saveIntent: ({ order: { attempt }, intent }) =>
    attempt === order.attempt && Object.assign(order, { intentId: intent.id }),
  settle: ({ intent, phase, nextAttempt: attempt }) =>
    intent.id === order.intentId && // Not settled before. In SQL: "where intent_id = …".
    Object.assign(order, phase === 'paid' ? { paid: true } : { intentId: null, attempt }),
})
