/**
 * Creates, checks, and settles the payments of orders. Every change is: load, a pure function, save; again if another
 * process was faster.
 *
 * @module
 */
import type { Currency } from '@pi-checkout/contract/money'
import { phaseOf } from '@pi-checkout/contract/payment-status'
import type { CreateParams } from '../client/create-params.ts'
import { invalidParam, PiError } from '../client/errors.ts'
import type { CallOptions, Handoff } from '../client/payment-intents.ts'
import type { CheckoutClient, CheckoutOptions, PaymentUnderReview } from './options.ts'
import type { Payment, PaymentRecord, ReviewReason } from './payment-record.ts'
import {
  type CheckoutOrder,
  orderVersion,
  type PaymentState,
  paymentState,
} from './payment-state.ts'
import { HandoffRejection, quoted } from './problem.ts'
import {
  type Change,
  finishHook,
  insertPayment,
  leaveAlone,
  postponeDue,
  type Retrieved,
  rejectPayment,
  releaseLease,
  resolveReview,
  storeRetrieved,
  takeLease,
} from './record-changes.ts'
import { verify } from './verify.ts'

/** What `reconcile()` did. */
export interface ReconcileSummary {
  /** Number of orders that were checked. */
  readonly orders: number
  /** Number of errors, each of which was reported. */
  readonly errors: number
}

export interface OrderPaymentsOptions
  extends Pick<CheckoutOptions, 'order' | 'payments' | 'onPaid'> {
  readonly intents: CheckoutClient
  readonly onReview: (review: PaymentUnderReview) => unknown
  readonly onError: (error: unknown) => void
}

/** Milliseconds for a hook, and for which no other process runs it. */
const hookTimeout = 30_000
const leaseTime = 60_000
/** Milliseconds for one order of a run: a retrieve, `onPaid`, `onReview`, and the shop's database. */
const orderTimeout = 120_000
/** Milliseconds for a retrieve while a buyer waits, and while none does. */
const checkTimeout = 3_000
const reconcileTimeout = 10_000
/** Milliseconds for a create: with the check before it, less than the 20 seconds that the page waits. */
const createTimeout = 15_000
/** Number of payments that a buyer's request checks. */
const maxChecked = 20
/** How often a record that changes in between is read again. */
const maxTries = 10
/** How often a handoff reads an order that changes while its intent is created. */
const maxHandoffs = 3
/** Orders per page of `due`, orders that are checked at the same time, and failures in a row that end a run. */
const pageSize = 100
const concurrency = 4
const maxFailures = 5

export class OrderPayments {
  readonly #options: OrderPaymentsOptions
  #running: Promise<ReconcileSummary> | undefined

  constructor(options: OrderPaymentsOptions) {
    this.#options = options
  }

  /**
   * Returns the two values with which the order can be paid now.
   *
   * @throws {HandoffRejection} If the order is paid, a payment has no result yet, or a payment is under review.
   */
  async handoff(orderId: string): Promise<Handoff> {
    for (let number = 1; number <= maxHandoffs; number++) {
      const current = await this.#current(orderId)
      const order = payableOrder(orderId, current)
      const { phase, payment, attempt } = current
      const open = phase === 'open' ? payment : undefined
      const body = open?.body ?? bodyOf(order)
      const { intents } = this.#options
      // Without a signal: a buyer who leaves must not abort the create.
      const limits = { attempt, totalTimeout: Math.min(createTimeout, intents.totalTimeout) }
      const { intent, handoff, replayed } = await intents.create(body, limits)
      const { id: intentId, amount } = intent
      const currency = intent.currency as Currency // The client compares it with the body.
      const version = orderVersion(order)
      const created = { intentId, version, attempt, amount, currency, body }
      await this.#change(orderId, insertPayment(created, Date.now()))
      // The response of a replay shows the intent as it was created.
      if (replayed && intentId !== open?.intentId) await this.#check(orderId, intentId)
      const orderNow = await this.#findOrder(orderId)
      const record = await this.#load(orderId)
      const state = paymentState(orderNow, record)
      const isCurrent = state.payment?.version === version && state.attempt === attempt
      const stored = record.payments.find((one) => one.intentId === intentId)
      if (isCurrent && state.phase === 'open' && stored?.phase === 'open') return handoff
    }
    const rule = `order: the order changed ${maxHandoffs} times while its intent was created, or its payments are not stored.`
    throw new HandoffRejection('payment_unavailable', rule)
  }

  /** Returns what the payments of an order mean for it now. */
  async state(orderId: string): Promise<PaymentState> {
    const current = await this.#current(orderId)
    if (isPayable(current)) payableOrder(orderId, current)
    return current
  }

  /** Checks the orders that are due. A running call is joined. */
  reconcile(signal?: AbortSignal): Promise<ReconcileSummary> {
    this.#running ??= this.#reconcile(signal).finally(() => {
      this.#running = undefined
    })
    return this.#running
  }

  /** Stores the merchant's decision about a payment under review. */
  async resolve(
    { orderId, intentId }: { readonly orderId: string; readonly intentId: string },
    decision: 'accepted' | 'refunded',
  ): Promise<void> {
    if (decision !== 'accepted' && decision !== 'refunded') {
      throw invalidParam('decision', 'must be "accepted" or "refunded".')
    }
    const { changed } = await this.#change(orderId, resolveReview(intentId, decision, Date.now()))
    if (!changed) {
      const id = quoted(String(intentId))
      throw invalidParam('intentId', `order ${quoted(orderId)} has no payment ${id} under review.`)
    }
    if (decision === 'accepted') await this.#settle(orderId, intentId)
  }

  async #findOrder(orderId: string): Promise<CheckoutOrder | undefined> {
    const order = await this.#options.order(orderId)
    if (!order) return undefined
    if (order.orderId === orderId) return order
    throw new TypeError(
      `order: the hook returned order ${quoted(String(order.orderId))} for orderId ${quoted(orderId)}. Return the requested order, or undefined.`,
    )
  }

  /** Checks the payments that may have changed, unless the order is paid. Returns the state and the order that has it. */
  async #current(orderId: string): Promise<Current> {
    const before = await this.#findOrder(orderId)
    const record = await this.#load(orderId)
    const stored = paymentState(before, record)
    const unsettled = record.payments.filter(({ done }) => !done).slice(-maxChecked)
    if (stored.phase === 'paid' || unsettled.length === 0) return { ...stored, order: before }
    const checks = unsettled.map(({ intentId }) => this.#check(orderId, intentId))
    const results = await Promise.allSettled(checks)
    // The order may have changed in the meantime, as a hook changes it.
    const order = await this.#findOrder(orderId)
    const state = paymentState(order, await this.#load(orderId))
    const failed = results.find((result) => result.status === 'rejected')
    if (!failed || state.phase === 'paid') return { ...state, order }
    if (!PiError.is(failed.reason)) throw failed.reason
    const { message } = failed.reason
    const rule = `A payment of order ${quoted(orderId)} could not be checked: ${message}`
    throw new HandoffRejection('payment_unavailable', rule, failed.reason)
  }

  /**
   * Retrieves a payment, stores what it became, and runs its hook.
   *
   * @throws {PiError} If it could not be retrieved. Then it may be paid.
   */
  async #check(
    orderId: string,
    intentId: string,
    options: CallOptions = { totalTimeout: checkTimeout },
  ): Promise<void> {
    for (let number = 1; number <= maxTries; number++) {
      const { payments } = await this.#load(orderId)
      const payment = payments.find((one) => one.intentId === intentId)
      if (!payment || payment.done) return
      if (payment.phase === 'paid') return this.#settle(orderId, intentId)
      const retrieved = await this.#retrieve(orderId, payment, options)
      if (!retrieved) return
      const now = Date.now()
      const { record } = await this.#change(orderId, storeRetrieved(payment, retrieved, now))
      const stored = record.payments.find((one) => one.intentId === intentId)
      if (stored?.phase === 'paid') return this.#settle(orderId, intentId)
      if (!stored || stored.done || stored.phase === retrieved.phase) return
    }
    throw new HandoffRejection('payment_unavailable', `Intent ${intentId} changed too often.`)
  }

  /** Returns `undefined` for an open intent that the service does not have: it cannot be paid now. */
  async #retrieve(
    orderId: string,
    payment: Payment,
    options: CallOptions,
  ): Promise<Retrieved | undefined> {
    const { intentId: id, amount, currency } = payment
    const intent = await this.#options.intents.retrieve(id, options).catch((error: unknown) => {
      const isMissing = PiError.is(error) && error.code === 'payment_intent_not_found'
      if (isMissing && payment.phase === 'open') return undefined
      throw error
    })
    if (!intent) return undefined
    const phase = verify(intent, { id, orderId, amount, currency })
    if (phase === 'mismatch') {
      return { phase: phaseOf(intent.status) === 'paid' ? 'paid' : 'unknown', reason: phase }
    }
    if (phase === 'paid') return { phase, order: await this.#findOrder(orderId) }
    const { code } = intent.lastPaymentFailure ?? {}
    if (phase === 'failed') {
      return { phase, reason: intent.status === 'failed' ? (code ?? 'failed') : intent.status }
    }
    return { phase }
  }

  /** Runs the hook of a paid payment. Reports what the hook throws: the next check runs it again. */
  async #settle(orderId: string, intentId: string): Promise<void> {
    const now = Date.now()
    const lease = takeLease(intentId, now + leaseTime, now)
    const { changed, record } = await this.#change(orderId, lease)
    const leased = record.payments.find((one) => one.intentId === intentId)
    if (!changed || !leased || leased.done) return
    // The lease took so long to store that another process could take it while the hook runs.
    if (Date.now() + hookTimeout > now + leaseTime) return
    try {
      const isRejected = await inTime(this.#runHook(orderId, leased), {
        ms: hookTimeout,
        event: 'onPaid or onReview: the hook did not return',
      })
      const after = isRejected ? rejectPayment(leased, Date.now()) : finishHook(leased)
      await this.#change(orderId, after)
      if (isRejected) await this.#settle(orderId, intentId)
    } catch (error) {
      this.#options.onError(error)
      // A hook that has not returned may still run.
      if (!(error instanceof Late)) await this.#change(orderId, releaseLease(leased))
    }
  }

  /** Returns whether `onPaid` rejected the payment. */
  async #runHook(orderId: string, payment: Payment): Promise<boolean> {
    const { onPaid, onReview } = this.#options
    if (payment.decision === 'review') {
      await onReview({ orderId, payment, reason: payment.reason as ReviewReason })
      return false
    }
    const pays: unknown = await onPaid({ orderId, payment })
    if (typeof pays === 'boolean') return !pays
    throw new TypeError(
      `onPaid: must return true, or false if the payment does not pay for the order; received ${String(pays)}.`,
    )
  }

  async #reconcile(signal: AbortSignal | undefined): Promise<ReconcileSummary> {
    const checked = new Set<string>()
    const counts = { orders: 0, errors: 0 }
    let failures = 0
    let fatal: { readonly error: unknown } | undefined
    const work = async (orderIds: Iterable<string>): Promise<void> => {
      for (const orderId of orderIds) {
        if (signal?.aborted || fatal) return
        try {
          // What a hook or a store that hangs does later is as that of another process.
          const event = `order ${quoted(orderId)} was not checked`
          await inTime(this.#reconcileOrder(orderId, signal), { ms: orderTimeout, event })
          failures = 0
        } catch (error) {
          if (signal?.aborted) return
          counts.errors++
          if (PiError.is(error) && error.retryable) failures++
          const isRejected = PiError.is(error) && error.status === 401
          // Every other order would fail too.
          if (isRejected || failures >= maxFailures) fatal ??= { error }
          else this.#options.onError(error)
        }
        counts.orders++
      }
    }
    const { intents, payments } = this.#options
    for (;;) {
      const due = await payments.due(intents.scope(), new Date(Date.now()), pageSize)
      const page = due.filter((orderId) => !checked.has(orderId))
      if (page.length === 0 || signal?.aborted) return counts
      for (const orderId of page) checked.add(orderId)
      // The workers share one iterator.
      const orderIds = page.values()
      await Promise.all(Array.from({ length: concurrency }, () => work(orderIds)))
      if (fatal) throw fatal.error
    }
  }

  async #reconcileOrder(orderId: string, signal: AbortSignal | undefined): Promise<void> {
    const now = Date.now()
    const before = await this.#load(orderId)
    const { changed } = await this.#change(orderId, postponeDue(now))
    if (!changed) return
    const due = before.payments.filter(({ checkAt }) => checkAt && Date.parse(checkAt) <= now)
    const checks = due.map(async ({ intentId }) => {
      await this.#check(orderId, intentId, { signal, totalTimeout: reconcileTimeout })
      await this.#change(orderId, leaveAlone(intentId, now))
    })
    const failed = (await Promise.allSettled(checks)).find(({ status }) => status === 'rejected')
    if (failed?.status === 'rejected') throw failed.reason
  }

  async #load(orderId: string): Promise<PaymentRecord> {
    const { intents, payments } = this.#options
    const scope = intents.scope()
    const stored = await payments.load(scope, orderId)
    return stored ?? { scope, orderId, revision: 0, checkAt: null, payments: [] }
  }

  async #change(
    orderId: string,
    change: Change,
  ): Promise<{ readonly changed: boolean; readonly record: PaymentRecord }> {
    for (let number = 1; number <= maxTries; number++) {
      const record = await this.#load(orderId)
      const next = change(record)
      if (!next) return { changed: false, record }
      const saved: unknown = await this.#options.payments.save(next)
      if (saved === true) return { changed: true, record: next }
      if (saved !== false) {
        throw new TypeError(`payments.save: must return true or false; received ${String(saved)}.`)
      }
    }
    const rule = `payments.save: returned false ${maxTries} times for order ${quoted(orderId)}. Return false only if another revision is stored.`
    throw new HandoffRejection('payment_unavailable', rule)
  }
}

interface Current extends PaymentState {
  /** `undefined` if the shop no longer has it. */
  readonly order: CheckoutOrder | undefined
}

function isPayable({ phase }: PaymentState): boolean {
  return phase === 'open' || phase === 'failed'
}

/** @throws {HandoffRejection} If the order cannot be paid now. */
function payableOrder(orderId: string, { order, ...state }: Current): CheckoutOrder {
  const { phase, payment } = state
  if (isPayable(state)) {
    if (order) return order
    const rule = `order: the hook returned no order for orderId ${quoted(orderId)}.`
    throw new HandoffRejection('order_not_found', rule)
  }
  if (phase === 'paid') throw new HandoffRejection('order_already_paid')
  const code = phase === 'review' ? 'payment_under_review' : 'payment_in_progress'
  const rule = `Intent ${payment?.intentId} of order ${quoted(orderId)} is ${phase}. Another payment must wait for its result.`
  throw new HandoffRejection(code, rule)
}

/** The order may have other fields. */
function bodyOf(order: CheckoutOrder): CreateParams {
  const { orderId, amount, currency, customer, metadata } = order
  return { orderId, amount, currency, customer, metadata }
}

class Late extends Error {}

async function inTime<T>(
  task: Promise<T>,
  { ms, event }: { readonly ms: number; readonly event: string },
): Promise<T> {
  let timer: ReturnType<typeof setTimeout> | undefined
  const late = new Promise<never>((_, reject) => {
    const fix = 'Set a timeout for the statements of your database.'
    timer = setTimeout(() => reject(new Late(`${event} within ${ms / 1000} seconds. ${fix}`)), ms)
  })
  return Promise.race([task, late]).finally(() => clearTimeout(timer))
}
