/** One Express application with three handoff routes, in a separate process: `handoff-server.ts BASE_URL`. @module */
import { createCheckout, memoryPayments, PaymentIntents } from '@pi-checkout/server'
import { toNode } from '@pi-checkout/server/node'
import express, { type RequestHandler } from 'express'
import { listen } from './child.ts'

const [, , baseUrl = ''] = process.argv
const apiKey = 'bench-key'
const price = { amount: 150000, currency: 'AMD' } as const
let orders = 0

const app = express()
app.disable('x-powered-by')
app.use(express.json())
app.use(handoff('/second', () => 'A-1001'))
app.use(handoff('/created', () => `A-${++orders}`))
app.post('/fetched/handoff', async (_req, res) => {
  const orderId = `A-${++orders}`
  const response = await fetch(`${baseUrl}/payment-intents`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${apiKey}`,
      'content-type': 'application/json',
      'idempotency-key': orderId,
    },
    body: JSON.stringify({ ...price, orderId }),
  })
  const { id, clientSecret } = (await response.json()) as Record<'id' | 'clientSecret', string>
  res.set('cache-control', 'no-store, private')
  res.json({ id, clientSecret })
})

await listen(app)

function handoff(basePath: string, authorize: () => string): RequestHandler {
  return toNode(
    createCheckout({
      basePath,
      intents: new PaymentIntents({ apiKey, baseUrl, namespace: 'bench test' }),
      shopOrigin: 'http://localhost',
      authorize,
      order: (orderId) => ({ ...price, orderId }),
      payments: memoryPayments(),
      onPaid: () => true,
    }),
  )
}
