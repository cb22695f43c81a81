/** One Express application with four handoff routes, in a separate process: `handoff-server.ts BASE_URL`. @module */
import { createHandoff, type HandoffOrder, PaymentIntents } from '@pi-checkout/server'
import { toExpress } from '@pi-checkout/server/express'
import express, { type RequestHandler } from 'express'
import { listen } from './child.ts'

const [, , baseUrl = ''] = process.argv
const apiKey = 'bench-key'
const price = { amount: 150000, currency: 'AMD' } as const
const saved = new Map<string, string>()
let orders = 0

const app = express()
app.disable('x-powered-by')
app.use(express.json())
app.use(
  '/resumed',
  handoff('/resumed', (orderId = 'A-1001') => ({
    ...price,
    orderId,
    intentId: saved.get(orderId),
  })),
)
app.use(
  '/created',
  handoff('/created', () => ({ ...price, orderId: `A-${++orders}`, intentId: null })),
)
app.post('/fixed/handoff', (_req, res) => {
  res.set('cache-control', 'no-store, private')
  res.json({ id: 'pi_bench', clientSecret: 'pi_bench_secret_bench' })
})
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

function handoff(basePath: string, order: (orderId?: string) => HandoffOrder): RequestHandler {
  return toExpress(
    createHandoff({
      basePath,
      intents: new PaymentIntents({ apiKey, baseUrl }),
      shopOrigin: 'http://localhost',
      resumeCookie: {
        keys: `k1:${Buffer.from('an encryption key of the bench..').toString('base64url')}`,
      },
      session: () => 'session-of-the-bench',
      order: ({ orderId }) => order(orderId),
      saveIntent: ({ order, intent }) => {
        if (basePath === '/resumed') saved.set(order.orderId, intent.id)
      },
      settle: () => {},
    }),
  )
}
