/** An order with all that its pages show. Its state follows from its stored payments. @module */
import { type Payment, type PaymentState, paymentState } from '@pi-checkout/server'
import type { Line } from './cart.ts'
import { payableOrder } from './checkout.ts'
import { logFailure } from './log.ts'
import { findOrder, listForReview, type Order, orderLines } from './orders.ts'
import type { Shop } from './shop.ts'

/** `review`: the staff decides about a payment. `closed`: its pieces are in the cart again. */
export type OrderState =
  | Exclude<PaymentState['phase'], 'unknown'>
  | 'canceled'
  | 'refunded'
  | 'closed'

export interface OrderDetails {
  readonly order: Order
  readonly lines: readonly Line[]
  readonly state: OrderState
  readonly payments: readonly Payment[]
  /** Payments that pay for nothing until the staff has decided. */
  readonly underReview: readonly Payment[]
  /** `false` if the service could not be asked for a payment, which may be made. */
  readonly isKnown: boolean
}

/** Returns whether the buyer may pay for the order, or edit the cart instead. */
export function isPayable({ state }: OrderDetails): boolean {
  return ['open', 'failed', 'canceled', 'refunded'].includes(state)
}

/** Reads an order and its payments. It sends no request to the service. */
export async function orderDetails(
  { db, checkout }: Pick<Shop, 'db' | 'checkout'>,
  order: Order,
): Promise<OrderDetails> {
  const payments = await checkout.payments(order.id)
  const { phase, reason } = paymentState(payableOrder(db, order), payments)
  const state = stateOf(order, phase, reason)
  const underReview = payments.filter((one) => one.state === 'reviewing' || one.state === 'review')
  return { order, lines: orderLines(db, order.id), state, payments, underReview, isKnown: true }
}

/** Lets the checkout ask for payments without a result first: the buyer may have paid. */
export async function currentDetails(shop: Shop, order: Order): Promise<OrderDetails> {
  let isKnown = true
  await shop.checkout.status(order.id).catch((error: unknown) => {
    isKnown = false
    // The checkout no longer knows a closed order.
    if (order.closedAt === null) logFailure('the payments could not be checked', error)
  })
  const current = await orderDetails(shop, findOrder(shop.db, order.id) ?? order)
  // The staff sees it as soon as the buyer does.
  if (current.underReview.length > 0) listForReview(shop.db, order.id)
  return { ...current, isKnown }
}

function stateOf({ paidBy, closedAt }: Order, phase: string, reason?: string): OrderState {
  if (paidBy !== null) return 'paid'
  if (phase === 'review') return 'review'
  if (phase !== 'open' && phase !== 'failed') return 'processing'
  if (closedAt !== null) return 'closed'
  return reason === 'canceled' || reason === 'refunded' ? reason : phase
}
