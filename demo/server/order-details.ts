/** An order with all that its pages show. Its state follows from its stored payments. @module */
import { type Payment, paymentState } from '@pi-checkout/server'
import type { Line } from './cart.ts'
import { payableOrder } from './checkout.ts'
import { logFailure } from './log.ts'
import { findOrder, type Order, orderLines } from './orders.ts'
import type { Shop } from './shop.ts'

/** `review`: the staff decides about a payment. `closed`: its pieces are in the cart again. */
export type OrderState =
  | 'open'
  | 'processing'
  | 'paid'
  | 'failed'
  | 'canceled'
  | 'refunded'
  | 'review'
  | 'closed'

export interface OrderDetails {
  readonly order: Order
  readonly lines: readonly Line[]
  readonly state: OrderState
  /** The last intent. */
  readonly intentId: string | undefined
  /** Payments that pay for nothing until the staff has decided. */
  readonly underReview: readonly Payment[]
  /** Whether each payment has its result. */
  readonly isSettled: boolean
}

/** Returns whether the buyer may pay for the order, or edit the cart instead. */
export function isPayable({ state }: OrderDetails): boolean {
  return ['open', 'failed', 'canceled', 'refunded'].includes(state)
}

/** Reads an order and its payments. It sends no request to the service. */
export async function orderDetails(
  { db, intents, payments: store }: Pick<Shop, 'db' | 'intents' | 'payments'>,
  order: Order,
): Promise<OrderDetails> {
  const record = await store.load(intents.scope(), order.id)
  const payments = record?.payments ?? []
  const { phase, reason } = paymentState(payableOrder(db, order), record)
  return {
    order,
    lines: orderLines(db, order.id),
    state: stateOf(order, phase, reason),
    intentId: payments.at(-1)?.intentId,
    isSettled: payments.every(isSettled),
    underReview: payments.filter(({ state }) => state === 'reviewing' || state === 'review'),
  }
}

/**
 * Lets the checkout ask for payments without a result first: the buyer may have paid.
 *
 * @returns `isKnown`: whether each payment could be asked for.
 */
export async function currentDetails(
  shop: Shop,
  order: Order,
): Promise<OrderDetails & { readonly isKnown: boolean }> {
  const details = await orderDetails(shop, order)
  if (order.paidBy !== null || details.isSettled) {
    return { ...details, isKnown: true }
  }
  const isKnown = await shop.checkout.status(order.id).then(
    () => true,
    (error: unknown) => {
      // The checkout no longer knows a closed order.
      if (order.closedAt === null) logFailure('the payments could not be checked', error)
      return false
    },
  )
  const now = findOrder(shop.db, order.id) ?? order
  return { ...(await orderDetails(shop, now)), isKnown }
}

function isSettled({ state }: Payment): boolean {
  return ['failed', 'paid', 'review', 'refunded'].includes(state)
}

function stateOf({ paidBy, closedAt }: Order, phase: string, reason = ''): OrderState {
  if (paidBy !== null) return 'paid'
  if (phase === 'review') return 'review'
  if (phase !== 'open' && phase !== 'failed') return 'processing'
  if (closedAt !== null) return 'closed'
  return reason === 'canceled' || reason === 'refunded' ? reason : phase
}
