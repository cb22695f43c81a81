import { readFileSync } from 'node:fs'
import { createHandoff, newOrderId, PaymentIntents } from '@pi-checkout/server'
import { toKoa } from '@pi-checkout/server/node'
import Koa from 'koa'

const { PORT = 3000, PI_CHECKOUT_ORIGIN } = process.env

/** @type {import('@pi-checkout/server').HandoffOrder} Yours is a row that belongs to the buyer's session. */
const order = { orderId: newOrderId(), amount: 150000, currency: 'AMD', intentId: null } // 1500.00 AMD

const checkout = createHandoff({
  intents: new PaymentIntents(), // PI_BASE_URL and PI_API_KEY
  shopOrigin: `http://localhost:${PORT}`,
  order: () => ({ ...order }), // In SQL, saveIntent has "where amount = … and attempt = …".
  saveIntent: ({ order: { attempt }, intent }) =>
    attempt === order.attempt && Object.assign(order, { intentId: intent.id }),
  settle: ({ intent, phase, nextAttempt: attempt }) =>
    intent.id === order.intentId && // Not settled before. In SQL: "where intent_id = …".
    Object.assign(order, phase === 'paid' ? { paid: true } : { intentId: null, attempt }),
})
await checkout.check() // A missing variable, a wrong key or no service: now, not at the first buyer.

const page = readFileSync(new URL('checkout.html', import.meta.url), 'utf8')
const app = new Koa()
app.use(toKoa(checkout)) // POST /checkout/handoff and GET /checkout/status
app.use((ctx) => {
  ctx.type = 'html'
  ctx.body = order.paid ? 'Paid' : page.replaceAll('CHECKOUT', PI_CHECKOUT_ORIGIN)
})
app.listen(PORT, () => console.log(`http://localhost:${PORT}`))
