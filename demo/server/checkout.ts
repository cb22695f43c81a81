/**
 * Payment of an order: what the handoff receives, and how a verdict changes the order.
 *
 * @module
 */
import { createHandoff, type HandoffHandler, HandoffRejection } from '@pi-checkout/server'
import type { Request } from 'express'
import { setIntent } from './order-intents.ts'
import { describeLines, isPayable, ownedOrder } from './orders.ts'
import { logFailure } from './problem.ts'
import type { Shop } from './shop.ts'
import { recordVerdict } from './verdicts.ts'

/** Creates the handler of `POST /checkout/handoff` and `GET /checkout/status`. */
export function shopCheckout(shop: Shop): HandoffHandler<Request> {
  const { db, sessions, intents, shopOrigin, tools } = shop
  // Integration 2 of 5: the session's order, and what happens after a payment.
  return createHandoff({
    intents,
    origin: shopOrigin,
    session: (_request, req: Request) => sessions.of(req),
    order: ({ method }, orderId, req) => {
      const session = sessions.of(req)
      if (session === undefined || orderId === undefined) return undefined
      const order = ownedOrder(db, { session, orderId })
      if (!order) return undefined
      tools?.trace.about(orderId)
      // The page then shows the order or the cart instead of a form. Its status remains available.
      if (method === 'POST' && order.state !== 'paid' && !isPayable(db, order)) return undefined
      const { amount, currency, attempt, intent: intentId, state } = order
      // No timestamps or sessions: the same order must create the same body.
      const metadata = { lines: describeLines(db, orderId) }
      return { orderId, amount, currency, metadata, attempt, intentId, paid: state === 'paid' }
    },
    onIntent: (order, { id }) => setIntent(db, order, id),
    onPaid: ({ orderId }, intent) => recordVerdict(db, { orderId, intent, verdict: 'paid' }),
    onFailed: ({ orderId }, intent) => recordVerdict(db, { orderId, intent, verdict: 'failed' }),
    onError: (error) => {
      const rejected = error instanceof HandoffRejection
      logFailure(rejected ? 'a checkout request was rejected' : 'the checkout failed', error)
    },
  })
}
