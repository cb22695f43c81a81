/** Payment of an order: what the handoff receives, and how a verdict changes the order. @module */
import {
  createHandoff,
  HandoffRejection,
  type OrderQuery,
  type PaymentIntents,
} from '@pi-checkout/server'
import type { Request } from 'express'
import { type PayableOrder, setIntent } from './order-intents.ts'
import { describeLines, isPayable, ownedOrder } from './orders.ts'
import { logFailure } from './problem.ts'
import type { Shop } from './shop.ts'
import { recordVerdict } from './verdicts.ts'

/** Creates the handler of `POST /checkout/handoff` and `GET /checkout/status`. */
export function shopCheckout({
  db,
  sessions,
  intents,
  shopOrigin,
}: Pick<Shop, 'db' | 'sessions' | 'shopOrigin'> & {
  readonly intents: PaymentIntents
}): Shop['checkout'] {
  // Integration 2 of 5: the session's order, and what happens after a payment.
  return createHandoff({
    intents,
    shopOrigin,
    session: ({ context }) => sessions.of(context),
    order: ({ orderId, context: req }: OrderQuery<Request>): PayableOrder | undefined => {
      const session = sessions.of(req)
      if (session === undefined || orderId === undefined) return undefined
      const order = ownedOrder(db, { session, orderId })
      if (!order) return undefined
      // The page then shows the order or the cart instead of a form. Its status remains available.
      if (req.method === 'POST' && order.state !== 'paid' && !isPayable(db, order)) return undefined
      const { amount, currency, attempt, intent: intentId, state } = order
      // No timestamps or sessions: the same order must create the same body.
      const metadata = { lines: describeLines(db, orderId) }
      return { orderId, amount, currency, metadata, attempt, intentId, paid: state === 'paid' }
    },
    saveIntent: ({ order, intent }) => setIntent(db, order, intent.id),
    // The order's next attempt follows from all its intents: see settleOrder().
    settle: ({ order: { orderId }, intent, phase }) =>
      recordVerdict(db, { orderId, intent, verdict: phase }),
    onError: ({ error }) => {
      const rejected = error instanceof HandoffRejection
      logFailure(rejected ? 'a checkout request was rejected' : 'the checkout failed', error)
    },
  })
}
