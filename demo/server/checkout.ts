/**
 * Paying for an order: what the handoff may know of it, and what a verdict does to it.
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

/** Answers `POST /checkout/handoff` and `GET /checkout/status`. */
export function shopCheckout(shop: Shop): HandoffHandler<Request> {
  const { db, sessions, intents, shopOrigin, tools } = shop
  // Integration 2 of 5: the order as this session owns it, and what may happen to it.
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
      // The page opens no form for it and shows the order or the cart; its status can still be asked.
      if (method === 'POST' && order.state !== 'paid' && !isPayable(db, order)) return undefined
      const { amount, currency, attempt, intent: intentId, state } = order
      // Of what was sold, not of when or by whom: the same order must make the same body.
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
