import { readFileSync } from 'node:fs'
import { createCheckout, memoryPayments, PaymentIntents } from '@pi-checkout/server'
import { toNode } from '@pi-checkout/server/node'
import express from 'express'

const { PORT = 3000, PI_CHECKOUT_ORIGIN = '' } = process.env
const orderId = crypto.randomUUID().replaceAll('-', '')

const checkout = createCheckout({
  intents: new PaymentIntents(), // PI_BASE_URL and PI_API_KEY
  shopOrigin: `http://localhost:${PORT}`,
  authorize: () => orderId, // Yours: the order of this buyer's session.
  order: () => ({ orderId, amount: 150000, currency: 'AMD' }), // Yours: its row. 1500.00 AMD.
  payments: memoryPayments(), // Yours: sqlPayments(query).
  onPaid: ({ payment }) => {
    // Yours: mark the row as paid.
    console.log(`Paid by ${payment.intentId}`)
    return true
  },
})
await checkout.start() // Throws if a variable or the key is wrong, or no service runs.

const page = readFileSync(new URL('checkout.html', import.meta.url), 'utf8')
const app = express().use(toNode(checkout)) // POST /checkout/handoff and GET /checkout/status
app.get('/', (_req, res) => res.send(page.replaceAll('CHECKOUT', PI_CHECKOUT_ORIGIN)))
app.listen(PORT).on('listening', () => console.log(`http://localhost:${PORT}`))
