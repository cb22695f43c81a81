/**
 * The orders of all sessions: placed from a cart, changed with it while unsettled, read by their owner.
 *
 * @module
 */
import { type Currency, newOrderId } from '@pi-checkout/server'
import { type Line, totalOf } from './cart.ts'
import type { Database } from './database.ts'
import type { OrderState } from './page-data.ts'

export interface Order {
  readonly id: string
  readonly session: string
  readonly currency: Currency
  /** Minor units. */
  readonly amount: number
  readonly state: OrderState
  /** Raised after a failed verdict: the next handoff then asks for a new intent. */
  readonly attempt: number
  /** The current intent, once a handoff made one. */
  readonly intent: string | null
  readonly placedAt: string
  readonly paidAt: string | null
  /** Such as `Visa •••• 4242`. */
  readonly paidWith: string | null
}

/**
 * Makes the session's cart an order, or brings its unsettled order up to date with the cart.
 *
 * A changed order leaves its intent behind: what the buyer saw before may no longer be paid for. Who
 * changes it back finds the intent of before.
 */
export function placeOrder(
  db: Database,
  wish: {
    readonly session: string
    readonly currency: Currency
    readonly lines: readonly Line[]
  },
): string {
  const place = db.transaction(() => {
    const unsettled = unsettledOrder(db, wish.session)
    if (unsettled && isSame(unsettled, { ...wish, known: orderLines(db, unsettled.id) })) {
      return unsettled.id
    }
    const id = unsettled?.id ?? newOrderId()
    db.prepare(
      `insert into orders (id, session, currency, amount, state, placed_at)
       values (?, ?, ?, ?, 'open', ?)
       on conflict (id) do update set
         currency = excluded.currency, amount = excluded.amount, state = 'open'`,
    ).run(id, wish.session, wish.currency, totalOf(wish.lines), new Date().toISOString())
    db.prepare('delete from order_lines where order_id = ?').run(id)
    const insert = db.prepare(
      'insert into order_lines (order_id, product, quantity, price) values (?, ?, ?, ?)',
    )
    for (const { product, quantity, price } of wish.lines) insert.run(id, product, quantity, price)
    db.prepare(
      `update orders set intent = (
         select i.id from order_intents i
          where i.order_id = orders.id and i.amount = orders.amount
            and i.currency = orders.currency and i.attempt = orders.attempt and i.lines = ?)
        where id = ?`,
    ).run(describeLines(db, id), id)
    return id
  })
  return place.immediate()
}

/** Finds the order that the session's next checkout would change. */
export function unsettledOrder(db: Database, session: string): Order | undefined {
  return db
    .prepare(
      `${selectOrder} where session = ? and state in ('open', 'failed')
        order by placed_at desc, rowid desc limit 1`,
    )
    .get(session) as Order | undefined
}

/** Finds an order of this session; somebody else's and nobody's are the same `undefined`. */
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

/** Lists every visitor's orders, the newest first: for the back office alone. */
export function allOrders(db: Database): readonly Order[] {
  return db.prepare(`${selectOrder} order by placed_at desc, rowid desc limit 100`).all() as Order[]
}

export function orderLines(db: Database, orderId: string): readonly Line[] {
  return db
    .prepare('select product, quantity, price from order_lines where order_id = ? order by rowid')
    .all(orderId) as Line[]
}

/** The order's lines in one text: products and quantities, in an order that never changes. */
export function describeLines(db: Database, orderId: string): string {
  return orderLines(db, orderId)
    .map(({ product, quantity }) => `${product}×${quantity}`)
    .sort()
    .join(' ')
}

function isSame(
  order: Order,
  wish: {
    readonly currency: Currency
    readonly lines: readonly Line[]
    readonly known: readonly Line[]
  },
): boolean {
  const text = (lines: readonly Line[]): string =>
    lines
      .map(({ product, quantity, price }) => `${product}×${quantity}@${price}`)
      .sort()
      .join()
  return order.currency === wish.currency && text(wish.known) === text(wish.lines)
}

const selectOrder = `
  select id, session, currency, amount, state, attempt, intent,
         placed_at as "placedAt", paid_at as "paidAt",
         paid_with as "paidWith" from orders`
