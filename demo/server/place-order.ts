/**
 * "Check out": creates an order from the cart, or leads to the session's unpaid or just paid order.
 *
 * A session has one unpaid order at most, so the pieces in a cart are never in two payable orders.
 *
 * @module
 */
import type { Currency } from '@pi-checkout/server'
import { type Line, readCart, totalOf } from './cart.ts'
import type { Database } from './database.ts'
import { settleOrder } from './order-intents.ts'
import { describeLines, newOrderNumber, orderLines, ordersOf, unpaidOrder } from './orders.ts'
import { ShopProblem } from './problem.ts'

/**
 * Reads the cart inside the transaction, because a payment may have just changed it.
 *
 * A changed order has no current intent. Changed back, it uses its earlier intent again.
 *
 * @param wish - `areIntentsKnown`: whether the service has just returned each open intent of the
 * session's unpaid order.
 * @returns The id of the order that the buyer should see. While the bank is processing a payment, it is
 * the order of that payment. With a cart that a payment has emptied, it is the paid order; with another
 * empty cart, `undefined`.
 * @throws {ShopProblem} `payment_unknown` if the order would change although an intent of it may be paid.
 */
export function placeOrder(
  db: Database,
  wish: {
    readonly session: string
    readonly currency: Currency
    readonly areIntentsKnown: boolean
  },
): string | undefined {
  const place = db.transaction(() => {
    const { session, currency, areIntentsKnown } = wish
    const unpaid = unpaidOrder(db, session)
    if (unpaid?.state === 'processing') return unpaid.id
    const lines = readCart(db, wish)
    if (lines.length === 0) return justPaid(db, session)
    const isSame =
      unpaid?.currency === currency &&
      unpaid.amount === totalOf(lines) &&
      describeLines(orderLines(db, unpaid.id)) === describeLines(lines)
    if (isSame) return unpaid.id
    if (unpaid && !areIntentsKnown) throw new ShopProblem('payment_unknown')
    const id = unpaid?.id ?? newOrderNumber(db)
    write(db, { id, session, currency, lines })
    settleOrder(db, id)
    return id
  })
  return place.immediate()
}

function justPaid(db: Database, session: string): string | undefined {
  const [newest] = ordersOf(db, session)
  return newest?.state === 'paid' ? newest.id : undefined
}

function write(
  db: Database,
  order: {
    readonly id: string
    readonly session: string
    readonly currency: Currency
    readonly lines: readonly Line[]
  },
): void {
  const { id, session, currency, lines } = order
  db.prepare(
    `insert into orders (id, session, currency, amount, state, placed_at)
     values (?, ?, ?, ?, 'open', ?)
     on conflict (id) do update set currency = excluded.currency, amount = excluded.amount`,
  ).run(id, session, currency, totalOf(lines), new Date().toISOString())
  db.prepare('delete from order_lines where order_id = ?').run(id)
  const insert = db.prepare(
    'insert into order_lines (order_id, product, quantity, price) values (?, ?, ?, ?)',
  )
  for (const { product, quantity, price } of lines) insert.run(id, product, quantity, price)
}
