/** An order with all that its pages show. Its state follows from its stored payments. @module */
import { type Payment, type PaymentState, paymentState } from '@pi-checkout/server'
import type { Line } from './cart.ts'
import { payableOrder } from './checkout.ts'
import { type Order, orderLines } from './orders.ts'
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
  /** Why the last payment failed. */
  readonly reason: string | undefined
  readonly payments: readonly Payment[]
  /** Payments that pay for nothing until the staff has decided. */
  readonly underReview: readonly Payment[]
}

/** Returns whether the buyer may pay for the order, or edit the cart instead. */
export function isPayable({ state }: Pick<OrderDetails, 'state'>): boolean {
  return ['open', 'failed', 'canceled', 'refunded'].includes(state)
}

/** Returns whether the shop has to ask for the payments: the buyer may have closed the tab too early. */
export function isUnsettled({
  state,
  payments,
}: Pick<OrderDetails, 'state' | 'payments'>): boolean {
  return (
    ['open', 'processing', 'closed'].includes(state) &&
    payments.some((payment) => !isSettled(payment))
  )
}

function isSettled({ state }: Payment): boolean {
  return ['failed', 'paid', 'review', 'refunded'].includes(state)
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
    state: stateOf(order, { phase, reason }),
    reason,
    payments,
    underReview: payments.filter(({ state }) => state === 'reviewing' || state === 'review'),
  }
}

function stateOf(
  { paidBy, closedAt }: Order,
  { phase, reason }: Pick<PaymentState, 'phase' | 'reason'>,
): OrderState {
  if (paidBy !== null) return 'paid'
  if (phase === 'review') return 'review'
  if (phase !== 'open' && phase !== 'failed') return 'processing'
  if (closedAt !== null) return 'closed'
  return reason === 'canceled' || reason === 'refunded' ? reason : phase
}
