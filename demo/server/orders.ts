/** The orders of all sessions. @module */
import type { Currency } from '@pi-checkout/server'
import type { Line } from './cart.ts'
import type { Database } from './database.ts'

export interface Order {
  /** Its number, such as `TS-4081735296`. */
  readonly id: string
  readonly session: string
  readonly currency: Currency
  /** Minor units. */
  readonly amount: number
  readonly placedAt: string
  /** When the buyer took its pieces back into the cart. */
  readonly closedAt: string | null
  /** The intent that paid for it. */
  readonly paidBy: string | null
  readonly paidAt: string | null
}

const select = `
  select id, session, currency, amount, placed_at as "placedAt", closed_at as "closedAt",
         paid_by as "paidBy", paid_at as "paidAt" from orders`

/** Finds an order of any session, for jobs that run without a buyer. */
export function findOrder(db: Database, orderId: string): Order | undefined {
  return db.prepare(`${select} where id = ?`).get(orderId) as Order | undefined
}

/** Finds an order of this session. Returns `undefined` for an order of another session, as for an unknown one. */
export function ownedOrder(
  db: Database,
  { session, orderId }: { readonly session: string; readonly orderId: string },
): Order | undefined {
  const order = findOrder(db, orderId)
  return order?.session === session ? order : undefined
}

/** Finds the session's newest order that is not closed. */
export function newestOrder(db: Database, session: string): Order | undefined {
  return db
    .prepare(`${select} where session = ? and closed_at is null order by rowid desc limit 1`)
    .get(session) as Order | undefined
}

/** Puts an order on the staff's list. */
export function listForReview(db: Database, orderId: string): void {
  db.prepare('insert or ignore into reviews (order_id) values (?)').run(orderId)
}

/** Lists the orders of which a payment was under review, the newest first. */
export function reviewedOrders(db: Database): readonly Order[] {
  return db
    .prepare(`${select} where id in (select order_id from reviews) order by placed_at desc`)
    .all() as Order[]
}

export function orderLines(db: Database, orderId: string): readonly Line[] {
  return db
    .prepare('select product, quantity, price from order_lines where order_id = ? order by rowid')
    .all(orderId) as Line[]
}
