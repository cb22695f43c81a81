/**
 * Which intent pays for which order.
 *
 * Every intent of an order is stored with its last verdict. Each change updates the state of the order in the same
 * transaction. Only an intent for the current version pays for the order. A payment for an earlier version is an
 * alert.
 *
 * @module
 */
import type { Currency, HandoffOrder, OpenOrder, Phase } from '@pi-checkout/server'
import type { Line } from './cart.ts'
import type { Database } from './database.ts'
import { describeLines, findOrder, isPayable, type Order, orderLines } from './orders.ts'

/** An intent that was created for a version of an order. */
export interface OrderIntent {
  readonly id: string
  readonly orderId: string
  readonly amount: number
  readonly currency: Currency
  readonly attempt: number
  readonly lines: string
  readonly verdict: string | null
}

/** What an intent means for the version of the order that it was created for. */
export type Verdict = Phase | 'canceled' | 'mismatch'

/** A version of an order: as the handoff reads it, or as an intent was created for it. */
export interface PayableOrder extends HandoffOrder {
  readonly currency: Currency
  readonly attempt: number
  readonly metadata: { readonly lines: string }
}

/**
 * Makes an intent the order's current one, and stores it permanently.
 *
 * @returns `false` if the order has changed since it was read, or can no longer be paid. The page does not receive the
 * intent's secret, and the handoff reads the order again.
 */
export function setIntent(db: Database, read: PayableOrder, intent: string): boolean {
  const { orderId, amount, currency, attempt, metadata } = read
  const set = db.transaction(() => {
    db.prepare(
      `insert into order_intents (id, order_id, amount, currency, attempt, lines, made_at)
       values (?, ?, ?, ?, ?, ?, ?) on conflict (id) do nothing`,
    ).run(intent, orderId, amount, currency, attempt, metadata.lines, new Date().toISOString())
    const order = findOrder(db, orderId)
    const isSame =
      order?.amount === amount &&
      order.currency === currency &&
      order.attempt === attempt &&
      describeLines(orderLines(db, orderId)) === metadata.lines
    if (!isSame || !isPayable(db, order)) return false
    settleOrder(db, orderId)
    return true
  })
  return set.immediate()
}

/**
 * Stores the last verdict of an intent, and updates its order. Repeating it changes nothing.
 *
 * @returns Whether the verdict is new.
 */
export function storeVerdict(
  db: Database,
  note: {
    readonly orderId: string
    readonly intent: string
    readonly verdict: Verdict
    /** Such as `Visa •••• 4242`. */
    readonly method: string | null
  },
): boolean {
  const { orderId, intent, verdict, method } = note
  const write = db.transaction(() => {
    // A delayed response must not replace a final verdict.
    const { changes } = db
      .prepare(
        `update order_intents set verdict = ?1
          where id = ?2 and (verdict is null or verdict not in ('paid', 'failed', 'canceled', ?1))`,
      )
      .run(verdict, intent)
    settleOrder(db, orderId, method)
    return changes > 0
  })
  return write.immediate()
}

/**
 * Updates an order to the state that follows from its intents. Call it inside a transaction.
 *
 * A paid order does not change. While the bank is processing a payment, also one for an earlier version, the order
 * is `processing`: the buyer must not pay again before its result is known.
 *
 * @param method - Payment method, stored if the order becomes paid.
 */
export function settleOrder(db: Database, orderId: string, method: string | null = null): void {
  const order = findOrder(db, orderId)
  if (!order || order.state === 'paid') return
  const intents = intentsOf(db, orderId)
  const lines = describeLines(orderLines(db, orderId))
  const fitting = intents
    .filter(
      (intent) =>
        intent.amount === order.amount &&
        intent.currency === order.currency &&
        intent.lines === lines,
    )
    .sort((one, other) => other.attempt - one.attempt)
  const paid = fitting.find(({ verdict }) => verdict === 'paid')
  if (paid) {
    markPaid(db, order, { intent: paid.id, method })
    return
  }
  const [current] = fitting
  const hasFailed = current?.verdict === 'failed' || current?.verdict === 'canceled'
  const isProcessing = intents.some(({ verdict }) => verdict === 'processing')
  const state = isProcessing ? 'processing' : hasFailed ? 'failed' : 'open'
  const attempt = current ? current.attempt + (hasFailed ? 1 : 0) : order.attempt
  db.prepare('update orders set intent = ?, state = ?, attempt = ? where id = ?').run(
    current?.id ?? null,
    state,
    attempt,
    orderId,
  )
}

function markPaid(
  db: Database,
  order: Order,
  { intent, method }: { readonly intent: string; readonly method: string | null },
): void {
  const { id, session } = order
  db.prepare(
    `update orders set intent = ?, state = 'paid', paid_at = ?, paid_with = ? where id = ?`,
  ).run(intent, new Date().toISOString(), method, id)
  // Removes the bought pieces from the cart. Pieces that were added later remain.
  const bought = `from order_lines l
     where l.order_id = ? and cart_lines.session = ? and l.product = cart_lines.product`
  db.prepare(
    `delete from cart_lines where exists (select 1 ${bought} and cart_lines.quantity <= l.quantity)`,
  ).run(id, session)
  db.prepare(`update cart_lines set quantity = cart_lines.quantity - l.quantity ${bought}`).run(
    id,
    session,
  )
}

/** An order with all that its pages show. */
export interface OrderDetails {
  readonly order: Order
  readonly lines: readonly Line[]
  /** Changes with the order. */
  readonly version: string
  /** Whether a handoff was created. Without one there is no payment. */
  readonly handedOff: boolean
  /** Whether a payment form may open for it now. */
  readonly payable: boolean
  /** Payments for an earlier version of this order, to review manually. */
  readonly earlierPayments: readonly OrderIntent[]
}

export function orderDetails(db: Database, order: Order): OrderDetails {
  const { id, amount, currency } = order
  const intents = intentsOf(db, id)
  const lines = orderLines(db, id)
  return {
    order,
    lines,
    version: `${currency} ${amount} ${describeLines(lines)}`,
    handedOff: intents.length > 0,
    payable: isPayable(db, order),
    earlierPayments: intents.filter(({ id, verdict }) => verdict === 'paid' && id !== order.intent),
  }
}

/** Lists the intents of an order, the newest first. */
export function intentsOf(db: Database, orderId: string): readonly OrderIntent[] {
  return db
    .prepare(`${selectIntent} where order_id = ? order by made_at desc, rowid desc`)
    .all(orderId) as OrderIntent[]
}

/**
 * Lists the intents without a final verdict, current and old: of one order, or of all. After a week, the
 * service has ended those that the bank is not processing.
 */
export function unsettledIntents(
  db: Database,
  orderId?: string,
): readonly OpenOrder<PayableOrder>[] {
  const weekAgo = new Date(Date.now() - 7 * 24 * 60 * 60 * 1000).toISOString()
  const rows = db
    .prepare(
      `${selectIntent}
        where (verdict is null or verdict not in ('paid', 'failed', 'canceled'))
          and (made_at > ? or verdict = 'processing')
          and order_id = coalesce(?, order_id)
        order by made_at, rowid`,
    )
    .all(weekAgo, orderId ?? null) as OrderIntent[]
  return rows.map(({ id, orderId, amount, currency, attempt, lines }) => ({
    ...{ orderId, amount, currency, attempt, intentId: id, metadata: { lines } },
  }))
}

const selectIntent = `
  select id, order_id as "orderId", amount, currency, attempt, lines, verdict from order_intents`
