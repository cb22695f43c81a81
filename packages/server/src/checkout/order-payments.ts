/** Hands out, looks at, and decides the payments of orders. @module */
import type { Currency } from '@pi-checkout/contract/money'
import { type CreateParams, readCreateParams } from '../client/create-params.ts'
import { InvalidParamsError, invalidParam, PiError } from '../client/errors.ts'
import type { CreatedIntent, Handoff } from '../client/payment-intents.ts'
import { runHooks } from './hooks.ts'
import { findOrder, type Ledger, type Look, lookForBuyer, stateAfter } from './look-at-order.ts'
import { type CheckoutOrder, orderVersion, type PaymentState } from './payment-state.ts'
import { HandoffRejection } from './problem.ts'
import { resolvePayment, storeHandoff } from './record-changes.ts'

/** Milliseconds for a handoff: less than the 20 seconds that the page waits. */
const handoffTimeout = 17_000
/** How often a handoff looks at an order that changes while its intent is created. */
const maxLooks = 4
/** Number of payments without a result with which an order gets no further one. */
const maxUnsettled = 100

/**
 * Returns the two values with which the order can be paid now.
 *
 * @throws {HandoffRejection} If the order is paid, a payment has no result yet, or a payment is under review.
 */
export async function handOut(ledger: Ledger, orderId: string): Promise<Handoff> {
  const { intents, records } = ledger
  const deadline = performance.now() + handoffTimeout
  let given: CreatedIntent | undefined
  for (let number = 1; number <= maxLooks; number++) {
    const look = await lookForBuyer(ledger, orderId)
    const order = payableOrder(orderId, look)
    const { payment, attempt } = look.state
    const open = look.state.phase === 'open' ? payment : undefined
    if (!open && look.seen.size >= maxUnsettled) {
      const rule = `order ${JSON.stringify(orderId)} has ${maxUnsettled} payments without a result. Another one must wait until some expire.`
      throw new HandoffRejection('payment_unavailable', rule)
    }
    const body = open?.body ?? bodyOf(order)
    if (given === undefined || given.intent.id !== open?.intentId) {
      const totalTimeout = Math.max(deadline - performance.now(), 1)
      given = await intents.create(body, { attempt, totalTimeout })
    }
    const { intent, replayed } = given
    // Only a retrieve shows what became of a replayed intent.
    const isOpen = !replayed || look.seen.get(intent.id)?.state === 'open'
    const version = orderVersion(order)
    const currency = intent.currency as Currency // The client compares it with the body.
    const { id: intentId, amount } = intent
    const created = { intentId, version, attempt, amount, currency, body }
    const replaced = open && open.intentId !== intentId ? open.intentId : undefined
    const stored = storeHandoff(created, { isOpen, replaced, now: Date.now() })
    await records.change(orderId, stored, look.record)
    const orderNow = await findOrder(ledger, orderId)
    // Loaded again: an intent that the store has lost must not be paid.
    const state = stateAfter(orderNow, await records.load(orderId), look.seen)
    const isCurrent = state.phase === 'open' && state.payment?.intentId === intentId
    if (isOpen && isCurrent) return given.handoff
    given = { ...given, replayed: true }
  }
  const rule = `order ${JSON.stringify(orderId)} changed ${maxLooks} times while its intent was created, or its payments are not stored.`
  throw new HandoffRejection('payment_unavailable', rule)
}

/** Returns what the payments of an order mean for it now. */
export async function readStatus(
  ledger: Ledger,
  orderId: string,
): Promise<Pick<PaymentState, 'phase' | 'reason'>> {
  const look = await lookForBuyer(ledger, orderId)
  if (isPayable(look.state)) payableOrder(orderId, look)
  const { phase, reason } = look.state
  return { phase, reason }
}

/** Stores the merchant's decision about a payment. */
export async function resolve(
  ledger: Ledger,
  { orderId, intentId }: { readonly orderId: string; readonly intentId: string },
  decision: 'accepted' | 'refunded',
): Promise<void> {
  if (decision !== 'accepted' && decision !== 'refunded') {
    throw invalidParam('decision', 'must be "accepted" or "refunded".')
  }
  const change = resolvePayment(intentId, decision, Date.now())
  const changed = await ledger.records.change(orderId, change)
  const { payments } = await runHooks(ledger, changed)
  const resolved = payments.find((payment) => payment.intentId === intentId)
  if (decision === 'refunded' || resolved?.reason !== 'rejected') return
  const rule = `order ${JSON.stringify(orderId)} does not take this payment: onPaid returned false. It stays under review.`
  throw invalidParam('intentId', rule)
}

function isPayable({ phase }: PaymentState): boolean {
  return phase === 'open' || phase === 'failed'
}

/** @throws {HandoffRejection} If the order cannot be paid now. */
function payableOrder(orderId: string, { order, state, failure }: Look): CheckoutOrder {
  const { phase, payment } = state
  const about = `order ${JSON.stringify(orderId)}`
  if (phase === 'paid') throw new HandoffRejection('order_already_paid')
  if (failure !== undefined) {
    if (!PiError.is(failure)) throw failure
    const rule = `A payment of ${about} could not be checked: ${failure.message}`
    throw new HandoffRejection('payment_unavailable', rule, failure)
  }
  if (!isPayable(state)) {
    const code = phase === 'review' ? 'payment_under_review' : 'payment_in_progress'
    const rule = `Intent ${payment?.intentId} of ${about} is ${phase}. Another payment must wait for its result.`
    throw new HandoffRejection(code, rule)
  }
  if (order) return order
  const rule = `order: the hook returned no order for orderId ${JSON.stringify(orderId)}.`
  throw new HandoffRejection('order_not_found', rule)
}

/**
 * Returns what the create of an order sends. The order may have other fields. An e-mail or a name that the service would
 * refuse is left out: it must not keep a buyer from paying.
 *
 * @throws {InvalidParamsError} If another field is invalid.
 */
function bodyOf(order: CheckoutOrder): CreateParams {
  const { orderId, amount, currency, customer, metadata } = order
  const body = { orderId, amount, currency, customer, metadata }
  try {
    return readCreateParams(body)
  } catch (error) {
    const unfit =
      error instanceof InvalidParamsError ? error.errors.map(({ pointer }) => pointer) : []
    const isOptional = (name: string): boolean => unfit.includes(`/customer/${name}`)
    if (!customer || !(isOptional('email') || isOptional('name'))) throw error
    const { id } = customer
    const email = isOptional('email') ? undefined : customer.email
    const name = isOptional('name') ? undefined : customer.name
    return readCreateParams({ ...body, customer: { id, email, name } })
  }
}
