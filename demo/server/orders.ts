/** The orders of all sessions. @module */
import { randomInt } from 'node:crypto'
import type { Currency } from '@pi-checkout/server'
import type { Line } from './cart.ts'
import type { Database } from './database.ts'

/** State of an order. One that `failed` or was `canceled` can be paid again. */
export type OrderState = 'open' | 'processing' | 'paid' | 'failed' | 'canceled'

export interface Order {
  /** Its number, such as `TS-7F3K9Q`: buyers read it out. */
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

/** Returns a number that no other order has. Call it in the transaction that writes the order. */
export function newOrderNumber(
  db: Database,
  random: (below: number) => number = randomInt,
): string {
  const digits = Array.from({ length: 6 }, () => alphabet[random(alphabet.length)])
  const number = `TS-${digits.join('')}`
  return findOrder(db, number) ? newOrderNumber(db, random) : number
}

/** No two of them are mistaken for each other, read or heard, and no word has them alone. */
const alphabet = '2346789BCDFGHJKMPQRTVWXY'

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
export function isPayable(db: Database, { id, session, state }: Order): boolean {
  if (state === 'paid' || state === 'processing') return false
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

/** Returns lines as one text: products and quantities, sorted. */
export function describeLines(lines: readonly Line[]): string {
  return lines
    .map(({ product, quantity }) => `${product}×${quantity}`)
    .sort()
    .join(' ')
}

// An order that the buyer has canceled is one that failed: the next handoff creates a new intent for it.
const selectOrder = `
  select id, session, currency, amount, attempt, intent,
         case when state = 'failed' and intent in
                   (select i.id from order_intents i where i.verdict = 'canceled')
              then 'canceled' else state end as state,
         placed_at as "placedAt", paid_at as "paidAt",
         paid_with as "paidWith" from orders`
