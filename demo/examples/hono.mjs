import { readFileSync } from 'node:fs'
import { serve } from '@hono/node-server'
import { createHandoff, newOrderId, PaymentIntents } from '@pi-checkout/server'
import { Hono } from 'hono'

const { PORT = 3000, PI_CHECKOUT_ORIGIN } = process.env

/** @type {import('@pi-checkout/server').HandoffOrder} Yours is a row that belongs to the buyer's session. */
let order = { orderId: newOrderId(), amount: 150000, currency: 'AMD' } // minor units: 1500.00 AMD

const checkout = createHandoff({
  intents: new PaymentIntents(), // PI_BASE_URL and PI_API_KEY; PI_HANDOFF_KEYS encrypts the cookie
  origin: `http://localhost:${PORT}`, // the shop's own
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
await checkout.check() // A missing variable, a wrong key or no service: now, not at the first buyer.

const page = readFileSync(new URL('checkout.html', import.meta.url), 'utf8')
const app = new Hono()
app.all('/checkout/*', (context) => checkout(context.req.raw)) // a handoff is Request → Response
app.get('/', (context) => context.html(page.replaceAll('CHECKOUT', PI_CHECKOUT_ORIGIN)))
serve({ fetch: app.fetch, port: Number(PORT) }, () => console.log(`http://localhost:${PORT}`))
