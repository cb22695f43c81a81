/**
 * Looks at an order: loads its record, retrieves all payments without a result, reads the order, stores what was found
 * with one save, and runs the hooks.
 *
 * @module
 */
import { phaseOf } from '@pi-checkout/contract/payment-status'
import { PiError } from '../client/errors.ts'
import { type Hooks, runHooks } from './hooks.ts'
import type { CheckoutClient, CheckoutOptions } from './options.ts'
import type { Payment, PaymentRecord } from './payment-record.ts'
import { type CheckoutOrder, type PaymentState, paymentState, verify } from './payment-state.ts'
import { hasHook, isUnsettled, type Seen, storeFindings } from './record-changes.ts'
import type { Records } from './records.ts'
import { callShop } from './shop-error.ts'

/** What a look needs of the shop. */
export interface Ledger {
  readonly intents: CheckoutClient
  readonly order: CheckoutOptions['order']
  readonly records: Records
  readonly hooks: Hooks
}

/** An order with its payments, and what the look has seen of them. */
export interface Look {
  /** `undefined` if the shop no longer has it. */
  readonly order: CheckoutOrder | undefined
  readonly record: PaymentRecord
  readonly state: PaymentState
  readonly seen: ReadonlyMap<string, Seen>
  /** Why a payment could not be retrieved: it may be paid. */
  readonly failure?: unknown
  /** Whether the service has none of the intents that were retrieved. */
  readonly isMissing: boolean
}

/** Milliseconds for a retrieve while a buyer waits, and without one. */
const buyerTimeout = 3_000
const reconcileTimeout = 10_000

/** A look for a buyer, who waits for `onPaid` only. The payments of a paid order are left to `reconcile()`. */
export async function lookForBuyer(ledger: Ledger, orderId: string): Promise<Look> {
  const before = await ledger.records.load(orderId)
  const isPaid = before.payments.some(({ state }) => state === 'paid')
  if (!isPaid) return look(ledger, before, { hooks: ['paying'], totalTimeout: buyerTimeout })
  const order = await findOrder(ledger, orderId)
  const state = paymentState(order, before.payments)
  return { order, record: before, state, seen: new Map(), isMissing: false }
}

/** A look of `reconcile()`, without a waiting buyer: it runs every hook that is due. */
export async function lookForReconcile(ledger: Ledger, orderId: string): Promise<Look> {
  const before = await ledger.records.load(orderId)
  return look(ledger, before, { hooks: ['paying', 'reviewing'], totalTimeout: reconcileTimeout })
}

/** @throws {TypeError} If the hook returns another order. */
export async function findOrder(
  { order: find }: Pick<Ledger, 'order'>,
  orderId: string,
): Promise<CheckoutOrder | undefined> {
  const id = JSON.stringify(orderId)
  const order = await callShop(`order: the hook failed for order ${id}`, () => find(orderId))
  if (!order || order.orderId === orderId) return order
  throw new TypeError(
    `order: the hook returned another order for orderId ${id}. Return the requested order, or undefined.`,
  )
}

/** Returns what an order is now: a result that is not final and this look has seen beats a stored `open`. */
export function stateAfter(
  order: CheckoutOrder | undefined,
  { payments }: PaymentRecord,
  seen: ReadonlyMap<string, Seen>,
): PaymentState {
  const known = payments.map((payment): Payment => {
    const found = seen.get(payment.intentId)?.state
    const isWaiting = found === 'processing' || found === 'unknown'
    const canWait = payment.state === 'open' || payment.state === 'failed'
    return isWaiting && canWait ? { ...payment, state: found } : payment
  })
  return paymentState(order, known)
}

async function look(
  ledger: Ledger,
  before: PaymentRecord,
  {
    hooks,
    totalTimeout,
  }: { readonly hooks: readonly Payment['state'][]; readonly totalTimeout: number },
): Promise<Look> {
  const { intents, records } = ledger
  const { orderId } = before
  const startedAt = Date.now()
  const unsettled = before.payments.filter((payment) => isUnsettled(payment, startedAt))
  const results = await Promise.allSettled(
    unsettled.map(async (payment) => retrieve(intents, orderId, payment, totalTimeout)),
  )
  const seen = new Map<string, Seen>()
  const failures: unknown[] = []
  let missing = 0
  for (const [at, payment] of unsettled.entries()) {
    const result = results[at]
    if (result?.status === 'fulfilled') seen.set(payment.intentId, result.value)
    else if (isNotFound(result?.reason)) missing++
    // An intent that the service does not have cannot be paid now. Money that was on its way may have arrived.
    const canBeGone = payment.state === 'open' || payment.state === 'failed'
    if (result?.status === 'rejected' && !(isNotFound(result.reason) && canBeGone)) {
      failures.push(result.reason)
    }
  }
  const order = await findOrder(ledger, orderId)
  const [failure] = failures
  const isMissing = missing > 0 && missing === unsettled.length
  // Another merchant's key, or a rejected one, proves nothing about these intents.
  const isRejected = failures.some((error) => PiError.is(error) && error.status === 401)
  const isForeign = (isMissing || isRejected) && !before.payments.some(hasHook)
  let after = before
  if (!isForeign) {
    const keepsFailed = intents.translates
    const hasFailed = failures.length > 0
    const findings = { before, seen, hasFailed, order, keepsFailed, hooks }
    const change = storeFindings(findings, Date.now())
    after = await runHooks(ledger, await records.change(orderId, change, before))
  }
  return { order, record: after, state: stateAfter(order, after, seen), seen, failure, isMissing }
}

async function retrieve(
  intents: CheckoutClient,
  orderId: string,
  payment: Payment,
  totalTimeout: number,
): Promise<Seen> {
  const intent = await intents.retrieve(payment.intentId, { totalTimeout })
  const phase = verify(intent, orderId, payment)
  if (phase === 'mismatch') {
    const found = phaseOf(intent.status)
    if (found === 'paid') return { state: 'paid', reason: phase }
    return { state: found === 'failed' ? 'failed' : 'unknown' }
  }
  if (phase !== 'failed') return { state: phase }
  const { code } = intent.lastPaymentFailure ?? {}
  return { state: phase, reason: intent.status === 'failed' ? (code ?? 'failed') : intent.status }
}

function isNotFound(error: unknown): boolean {
  return PiError.is(error) && error.code === 'payment_intent_not_found'
}
