/**
 * A shop with one Express application and three handoff routes: the real handler, fixed JSON, and a
 * create by bare fetch. In a process of its own; `shop-server.ts SERVICE`.
 *
 * @module
 */
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { createHandoff, PaymentIntents } from '@pi-checkout/server'
import { toExpress } from '@pi-checkout/server/express'
import express from 'express'

const [, , baseUrl = ''] = process.argv
const apiKey = 'bench-key-of-nobody'
const money = { amount: 150000, currency: 'AMD' } as const
let orders = 0

const app = express()
app.disable('x-powered-by')
app.use(express.json())
app.use(
  '/resumed',
  toExpress(
    createHandoff({
      basePath: '/resumed',
      intents: new PaymentIntents({ apiKey, baseUrl }),
      origin: 'http://localhost',
      keys: `k1:${Buffer.from('a key of the bench and of nobody').toString('base64url')}`,
      session: () => 'session-of-the-bench',
      order: (_request, orderId = 'A-1001') => ({ ...money, orderId }),
    }),
  ),
)
app.use(
  '/created',
  toExpress(
    createHandoff({
      basePath: '/created',
      intents: new PaymentIntents({ apiKey, baseUrl }),
      origin: 'http://localhost',
      keys: `k1:${Buffer.from('a key of the bench and of nobody').toString('base64url')}`,
      session: () => 'session-of-the-bench',
      // Another order each time, as other buyers have.
      order: () => ({ ...money, orderId: `A-${++orders}` }),
    }),
  ),
)
app.post('/fixed/handoff', (_req, res) => {
  res.set('cache-control', 'no-store, private')
  res.json({ id: 'pi_bench', clientSecret: 'pi_bench_secret_of_nobody' })
})
app.post('/fetched/handoff', async (_req, res) => {
  const orderId = `A-${++orders}`
  const answer = await fetch(`${baseUrl}/payment-intents`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${apiKey}`,
      'content-type': 'application/json',
      'idempotency-key': orderId,
    },
    body: JSON.stringify({ ...money, orderId }),
  })
  const { id, clientSecret } = (await answer.json()) as Record<'id' | 'clientSecret', string>
  res.set('cache-control', 'no-store, private')
  res.json({ id, clientSecret })
})

const server = createServer(app)
server.listen(0, '127.0.0.1', () => process.send?.((server.address() as AddressInfo).port))
process.on('disconnect', () => process.exit())
