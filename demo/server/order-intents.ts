/**
 * Which intent pays for which order: each change is one statement that says what it expects.
 *
 * An order is `open` until a verdict on its current intent settles it. Older intents are kept: money
 * that reaches one of them is an alert for people, never a silent "paid".
 *
 * @module
 */
import type { Currency } from '@pi-checkout/server'
import type { Database } from './database.ts'
import { describeLines } from './orders.ts'

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

const selectIntent = `
  select id, order_id as "orderId", amount, currency, attempt, made_at as "madeAt", verdict
    from order_intents`
