/** The orders of all sessions. @module */
import type { Currency } from '@pi-checkout/server'
import type { Line } from './cart.ts'
import type { Database } from './database.ts'
import type { OrderState } from './page-data.ts'

export interface Order {
  readonly id: string
  readonly session: string
  readonly currency: Currency
  /** Minor units. */
  readonly amount: number
  readonly state: OrderState
  /** Incremented after a failed verdict: the next handoff then creates a new intent. */
  readonly attempt: number
  /** The current intent, after the first handoff. */
  readonly intent: string | null
  readonly placedAt: string
  readonly paidAt: string | null
  /** Such as `Visa •••• 4242`. */
  readonly paidWith: string | null
}

/** Finds the session's unpaid order. There is at most one. */
export function unpaidOrder(db: Database, session: string): Order | undefined {
  return db
    .prepare(
      `${selectOrder} where session = ? and state <> 'paid'
        order by placed_at desc, rowid desc limit 1`,
    )
    .get(session) as Order | undefined
}

/** Returns whether the buyer may pay now: no payment is processing, and the order's pieces are in the cart. */
export function isPayable(
  db: Database,
  { id, session, state }: Pick<Order, 'id' | 'session' | 'state'>,
): boolean {
  if (state !== 'open' && state !== 'failed') return false
  const beyondCart = db
    .prepare(
      `select l.product from order_lines l
         left join cart_lines c on c.session = ? and c.product = l.product
        where l.order_id = ? and l.quantity > coalesce(c.quantity, 0)`,
    )
    .get(session, id)
  return beyondCart === undefined
}

/** Finds an order of this session. Returns `undefined` for an order of another session, as for an unknown one. */
export function ownedOrder(
  db: Database,
  { session, orderId }: { readonly session: string; readonly orderId: string },
): Order | undefined {
  const row = db.prepare(`${selectOrder} where id = ? and session = ?`).get(orderId, session)
  return row as Order | undefined
}

/** Lists a session's orders, the newest first. */
export function ordersOf(db: Database, session: string): readonly Order[] {
  return db
    .prepare(`${selectOrder} where session = ? order by placed_at desc, rowid desc limit 50`)
    .all(session) as Order[]
}

/** Finds an order of any session, for jobs that run without a buyer. */
export function findOrder(db: Database, orderId: string): Order | undefined {
  return db.prepare(`${selectOrder} where id = ?`).get(orderId) as Order | undefined
}

export function orderLines(db: Database, orderId: string): readonly Line[] {
  return db
    .prepare('select product, quantity, price from order_lines where order_id = ? order by rowid')
    .all(orderId) as Line[]
}

/** Returns the order's lines as one text: products and quantities, sorted. */
export function describeLines(db: Database, orderId: string): string {
  return orderLines(db, orderId)
    .map(({ product, quantity }) => `${product}×${quantity}`)
    .sort()
    .join(' ')
}

const selectOrder = `
  select id, session, currency, amount, state, attempt, intent,
         placed_at as "placedAt", paid_at as "paidAt",
         paid_with as "paidWith" from orders`
