/**
 * How this shop takes payments, on the server. Copy this file, and `views/pay-page.ts`, which has the markup.
 *
 * 1. The look and the language of the checkout.
 * 2. The checkout: who may pay for an order, what it costs, and what happens when it is paid.
 *
 * The policy of the pages is in `headers.ts`.
 *
 * @module
 */
import {
  type Checkout,
  type CheckoutOrder,
  createCheckout,
  HandoffRejection,
  sqlPayments,
} from '@pi-checkout/server'
import type { Request } from 'express'
import type { Database } from './database.ts'
import { log, logFailure } from './log.ts'
import { findOrder, listForReview, type Order, orderLines, ownedOrder } from './orders.ts'
import type { Shop } from './shop.ts'

export const checkoutLook = {
  locale: 'en',
  // The shop's colors, so that the form looks like a part of the shop.
  appearance: {
    accent: { light: '#ad4318', dark: '#f19a58' },
    background: { light: '#fffdf9', dark: '#231d19' },
  },
} as const

/** Creates the handler of the routes under `/checkout`. */
export function shopCheckout({
  db,
  sessions,
  intents,
  shopOrigin,
  checkoutOrigin,
}: Omit<Shop, 'checkout'>): Checkout<Request> {
  return createCheckout<Request>({
    intents,
    shopOrigin,
    payments: sqlPayments((sql, values) => db.prepare(sql).all(...values), { dialect: 'sqlite' }),
    // For buyers without script or frames.
    fullPage: {
      checkoutOrigin,
      appearance: checkoutLook.appearance,
      returnUrl: (orderId) => `${shopOrigin}/pay/${orderId}`,
    },
    // The session owns the order. Another buyer's order is as unknown as one that does not exist.
    authorize: ({ orderId = '', context }) =>
      ownedOrder(db, { session: sessions.of(context) ?? '', orderId })?.id,
    order: (orderId) => {
      const order = findOrder(db, orderId)
      return order && order.closedAt === null ? payableOrder(db, order) : undefined
    },
    // One statement, so that no other change comes in between. A payment that the staff accepts opens its order again.
    onPaid: ({ orderId, payment: { intentId, amount, currency }, accepted }) => {
      const paid = db
        .prepare(
          `update orders set paid_by = ?1, paid_at = coalesce(paid_at, ?2), closed_at = null
            where id = ?3 and (paid_by = ?1 or (paid_by is null
              and (?6 = 1 or (amount = ?4 and currency = ?5 and closed_at is null))))
            returning id`,
        )
        .all(intentId, new Date().toISOString(), orderId, amount, currency, Number(accepted))
      return paid.length === 1
    },
    // The staff decides: see `staff.ts`.
    onReview: ({ orderId, payment: { intentId }, reason }) => {
      listForReview(db, orderId)
      log('warn', 'review a payment', { orderId, intent: intentId, reason })
    },
    onError: ({ error }) => {
      const rejected = error instanceof HandoffRejection
      logFailure(rejected ? 'a checkout request was rejected' : 'the checkout failed', error)
    },
  })
}

/** What the service gets of an order. An order never changes, so this doesn't either. */
export function payableOrder(db: Database, { id, amount, currency }: Order): CheckoutOrder {
  const lines = orderLines(db, id).map(({ product, quantity }) => `${product}×${quantity}`)
  return { orderId: id, amount, currency, metadata: { lines: lines.join(' ') } }
}
