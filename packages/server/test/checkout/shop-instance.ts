/** One instance of a marketplace on PostgreSQL, which a test kills. It prints its port. @module */

import { once } from 'node:events'
import { createServer } from 'node:http'
import pg from 'pg'
import { toNode } from '../../src/frameworks/node.ts'
import { createCheckout, PaymentIntents, sqlPayments } from '../../src/index.ts'

const pool = new pg.Pool({ connectionString: process.env.SHOP_DATABASE, statement_timeout: 10_000 })
pool.on('error', () => {})
const rowsOf = async (sql: string, values: (string | number)[]) =>
  (await pool.query(sql, values)).rows

const checkouts = (process.env.SHOP_KEYS ?? '').split(',').map((apiKey, merchant) =>
  createCheckout({
    intents: new PaymentIntents({ apiKey }),
    basePath: `/${merchant}`,
    shopOrigin: 'https://shop.example',
    authorize: ({ orderId }) => orderId,
    order: async (orderId) => {
      const sql = 'select amount from orders where merchant = $1 and id = $2'
      const [row] = await rowsOf(sql, [merchant, orderId])
      return row && { orderId, amount: row.amount, currency: 'AMD' }
    },
    payments: sqlPayments(rowsOf),
    onPaid: async ({ orderId, payment: { intentId, amount } }) => {
      const rows = await rowsOf(
        `update orders set paid_by = $1, paid_at = coalesce(paid_at, now()) where merchant = $2 and id = $3
          and amount = $4 and (paid_by is null or paid_by = $1) returning id`,
        [intentId, merchant, orderId, amount],
      )
      return rows.length === 1
    },
    onReview: async ({ orderId, payment, reason }) => {
      const values = [merchant, orderId, payment.intentId, reason]
      await rowsOf('insert into reviews values ($1, $2, $3, $4) on conflict do nothing', values)
    },
    onError: () => {},
  }),
)
const listeners = checkouts.map((checkout) => toNode(checkout))
const server = createServer((request, response) => {
  const [, merchant = ''] = request.url?.split('/') ?? []
  void listeners[Number(merchant)]?.(request, response)
})
await once(server.listen(0, '127.0.0.1'), 'listening')
process.stdout.write(`${Reflect.get(Object(server.address()), 'port')}\n`)
await Promise.all(checkouts.map((checkout) => checkout.start({ interval: 1_000 })))
