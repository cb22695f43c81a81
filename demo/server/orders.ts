/**
 * The orders, and which intent pays for which: each change is one statement that says what it expects.
 *
 * An order is `open` until a verdict on its current intent settles it. Older intents are kept: money
 * that reaches one of them is an alert for people, never a silent "paid".
 *
 * @module
 */
import { type Currency, newOrderId } from '@pi-checkout/server'
import { type Line, totalOf } from './cart.ts'
import type { Database } from './database.ts'

export type OrderState = 'open' | 'processing' | 'paid' | 'failed'

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

/** An intent that some version of an order asked for. */
export interface OrderIntent {
  readonly id: string
  readonly orderId: string
  readonly amount: number
  readonly currency: Currency
  readonly attempt: number
  readonly madeAt: string
  readonly verdict: string | null
}

/** What the service is asked for: each intent with the money that it was made for. */
export interface UnsettledIntent {
  readonly orderId: string
  readonly amount: number
  readonly currency: Currency
  readonly intentId: string
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

/** An order as the handoff read it, before the service was asked. */
export interface OrderRead {
  readonly orderId: string
  readonly amount: number
  readonly currency: string
  readonly attempt: number
  readonly metadata: { readonly lines: string }
}

/**
 * Makes an intent the order's current one, and remembers it for good.
 *
 * @throws {Error} The order has moved on since it was read: nobody may pay for it like this. The next
 * handoff reads it anew.
 */
export function setIntent(db: Database, order: OrderRead, intent: string): void {
  const { orderId, amount, currency, attempt, metadata } = order
  const set = db.transaction(() => {
    db.prepare(
      `insert into order_intents (id, order_id, amount, currency, attempt, lines, made_at)
       values (?, ?, ?, ?, ?, ?, ?) on conflict (id) do nothing`,
    ).run(intent, orderId, amount, currency, attempt, metadata.lines, new Date().toISOString())
    if (describeLines(db, orderId) !== metadata.lines) return 0
    return db
      .prepare(
        `update orders set intent = ?, state = iif(state = 'processing', state, 'open')
          where id = ? and amount = ? and currency = ? and attempt = ? and state <> 'paid'`,
      )
      .run(intent, orderId, amount, currency, attempt).changes
  })
  if (set.immediate() === 0) throw new Error('the order has changed while its intent was made')
}

/** Marks an order paid by its current intent; telling it twice changes nothing. */
export function markPaid(
  db: Database,
  payment: { readonly orderId: string; readonly intent: string; readonly method: string | null },
): void {
  const { orderId, intent, method } = payment
  const mark = db.transaction(() => {
    const { changes } = db
      .prepare(
        `update orders set state = 'paid', paid_at = ?, paid_with = ?
          where id = ? and intent = ? and state <> 'paid'`,
      )
      .run(new Date().toISOString(), method, orderId, intent)
    if (changes === 0) return
    // What was bought leaves the cart; what was put in since stays.
    db.prepare(
      `delete from cart_lines where rowid in (
         select c.rowid from cart_lines c
           join orders o on o.session = c.session
           join order_lines l on l.order_id = o.id and l.product = c.product
          where o.id = ? and c.quantity <= l.quantity)`,
    ).run(orderId)
  })
  mark.immediate()
}

/** Marks the order's current intent failed, so that the next handoff asks for a new one. */
export function markFailed(
  db: Database,
  { orderId, intent }: { readonly orderId: string; readonly intent: string },
): void {
  db.prepare(
    `update orders set state = 'failed', attempt = attempt + 1
      where id = ? and intent = ? and state in ('open', 'processing')`,
  ).run(orderId, intent)
}

/** Marks that the bank is still at work on the order's current intent. */
export function markProcessing(
  db: Database,
  { orderId, intent }: { readonly orderId: string; readonly intent: string },
): void {
  db.prepare(
    `update orders set state = 'processing' where id = ? and intent = ? and state = 'open'`,
  ).run(orderId, intent)
}

/** Remembers what was last learned of an intent, current or old. */
export function noteVerdict(
  db: Database,
  { intent, verdict }: { readonly intent: string; readonly verdict: string },
): void {
  db.prepare('update order_intents set verdict = ? where id = ?').run(verdict, intent)
}

/** Lists every intent of an order, the newest first. */
export function intentsOf(db: Database, orderId: string): readonly OrderIntent[] {
  return db
    .prepare(`${selectIntent} where order_id = ? order by made_at desc, rowid desc`)
    .all(orderId) as OrderIntent[]
}

/** Lists the intents of the last week whose fate is open, current and old: of one order, or of all. */
export function unsettledIntents(db: Database, orderId?: string): readonly UnsettledIntent[] {
  const weekAgo = new Date(Date.now() - 7 * 24 * 60 * 60 * 1000).toISOString()
  return db
    .prepare(
      `select order_id as "orderId", amount, currency, id as "intentId"
         from order_intents
        where (verdict is null or verdict not in ('paid', 'failed')) and made_at > ?
          and order_id = coalesce(?, order_id)
        order by made_at, rowid`,
    )
    .all(weekAgo, orderId ?? null) as UnsettledIntent[]
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

const selectIntent = `
  select id, order_id as "orderId", amount, currency, attempt, made_at as "madeAt", verdict
    from order_intents`
