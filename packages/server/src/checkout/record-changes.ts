/** How a record changes. Pure functions: each returns the next record, or `undefined` if nothing changes. @module */
import type { Payment, PaymentRecord, ReviewReason } from './payment-record.ts'
import { type CheckoutOrder, decide, isOrders } from './payment-state.ts'

export type Change = (record: PaymentRecord) => PaymentRecord | undefined

/** What the service returned about an intent. */
export interface Retrieved {
  readonly phase: Payment['phase']
  /** Why it failed, or `mismatch` if it is not the stored intent. */
  readonly reason?: string | undefined
  /** The order, read after the intent was paid. */
  readonly order?: CheckoutOrder | undefined
}

const minute = 60_000
const hour = 60 * minute
const day = 24 * hour
/** Age of an open payment that is left alone. */
const maxAge = 90 * day

/** Adds a payment. A stored one is never replaced. */
export function insertPayment(
  created: Pick<Payment, 'intentId' | 'version' | 'attempt' | 'amount' | 'currency' | 'body'>,
  now: number,
): Change {
  return (record) => {
    if (record.payments.some(({ intentId }) => intentId === created.intentId)) return undefined
    const payment: Payment = {
      ...created,
      phase: 'open',
      decision: null,
      done: false,
      createdAt: timeOf(now),
      checkAt: timeOf(now + minute),
      checks: 0,
    }
    return nextRecord(record, [...record.payments, payment])
  }
}

/** Postpones the payments that are due, each time for twice as long: one minute to a day, or an hour while a hook fails. */
export function postponeDue(now: number): Change {
  return (record) => {
    const isDue = ({ checkAt }: Payment): boolean => checkAt !== null && Date.parse(checkAt) <= now
    if (!record.payments.some(isDue)) return undefined
    const payments = record.payments.map((payment) => {
      if (!isDue(payment)) return payment
      const longest = payment.phase === 'paid' ? hour : day
      const wait = Math.min(minute * 2 ** payment.checks, longest)
      return { ...payment, checks: payment.checks + 1, checkAt: timeOf(now + wait) }
    })
    return nextRecord(record, payments)
  }
}

/**
 * Stores what the service returned. A phase that is not final is discarded if the payment changed since before the
 * retrieve: it may be older.
 *
 * @param before - The payment before the retrieve.
 */
export function storeRetrieved(before: Payment, retrieved: Retrieved, now: number): Change {
  const { phase, reason, order } = retrieved
  return changePayment(before.intentId, (payment, record) => {
    if (payment.phase === 'paid' || payment.phase === 'failed') return undefined
    if (phase === 'failed') return { phase, reason, done: true, checkAt: null, ...final }
    if (phase === 'paid') {
      if (reason === 'mismatch') return { phase, ...underReview(reason, now), ...final }
      const decided = decide(payment, record, order)
      return { phase, reason: undefined, ...decided, ...checkSoon(now), ...final }
    }
    if (payment.phase !== before.phase || payment.phase === phase) return undefined
    return { phase, ...checkSoon(now) }
  })
}

/** Leaves an open payment alone after two checks a day apart, once it is 90 days old. */
export function leaveAlone(intentId: string, now: number): Change {
  return changePayment(intentId, ({ phase, createdAt, oldSince }) => {
    if (phase !== 'open' || now - Date.parse(createdAt) < maxAge) return undefined
    if (oldSince === undefined) return { oldSince: timeOf(now) }
    return now - Date.parse(oldSince) < day ? undefined : { checkAt: null }
  })
}

/** Takes the lease of a payment's hook. No change if another process has it, or nothing is left to do. */
export function takeLease(intentId: string, until: number, now: number): Change {
  return changePayment(intentId, (payment, record) => {
    if (payment.done || payment.decision === null) return undefined
    if (payment.leaseUntil !== undefined && Date.parse(payment.leaseUntil) > now) return undefined
    if (payment.decision === 'accepted') {
      const other = record.payments.find((one) => one.intentId !== intentId && isOrders(one))
      // Only the review is closed: the other payment is the order's.
      if (other?.done) return finished
      if (other) return undefined
    }
    return { leaseUntil: timeOf(until) }
  })
}

/** Ends the lease after the hook failed. */
export function releaseLease(leased: Payment): Change {
  return changeLeased(leased, () => ({ leaseUntil: undefined }))
}

export function finishHook(leased: Payment): Change {
  return changeLeased(leased, () => finished)
}

/** Puts a payment under review that `onPaid` rejected. */
export function rejectPayment(leased: Payment, now: number): Change {
  return changeLeased(leased, () => underReview('rejected', now))
}

/** Stores the merchant's decision about a payment under review. */
export function resolveReview(
  intentId: string,
  decision: 'accepted' | 'refunded',
  now: number,
): Change {
  return changePayment(intentId, (payment) => {
    if (payment.decision !== 'review') return undefined
    if (decision === 'refunded') return { ...finished, decision, reason: decision }
    return { decision, reason: undefined, done: false, leaseUntil: undefined, ...checkSoon(now) }
  })
}

const final = { body: undefined, oldSince: undefined } as const
const finished = { done: true, checkAt: null, leaseUntil: undefined } as const

function underReview(reason: ReviewReason, now: number): Partial<Payment> {
  return { decision: 'review', reason, leaseUntil: undefined, ...checkSoon(now) }
}

function checkSoon(now: number): Pick<Payment, 'checkAt' | 'checks'> {
  return { checkAt: timeOf(now + minute), checks: 0 }
}

/** Changes a payment as long as this process has its lease, and the decision is the one for which the hook ran. */
function changeLeased(leased: Payment, change: () => Partial<Payment>): Change {
  return changePayment(leased.intentId, (payment) =>
    payment.decision === leased.decision && payment.leaseUntil === leased.leaseUntil
      ? change()
      : undefined,
  )
}

function changePayment(
  intentId: string,
  change: (payment: Payment, record: PaymentRecord) => Partial<Payment> | undefined,
): Change {
  return (record) => {
    const payment = record.payments.find((one) => one.intentId === intentId)
    const changed = payment && change(payment, record)
    if (!changed) return undefined
    return nextRecord(
      record,
      record.payments.map((one) => (one === payment ? { ...one, ...changed } : one)),
    )
  }
}

/** Of failed payments, only the highest attempt of each version is kept. */
function nextRecord(record: PaymentRecord, all: readonly Payment[]): PaymentRecord {
  const payments = all.filter(
    ({ phase, version, attempt }) =>
      phase !== 'failed' ||
      !all.some((other) => other.version === version && other.attempt > attempt),
  )
  const times = payments.flatMap(({ checkAt }) => (checkAt === null ? [] : [Date.parse(checkAt)]))
  const checkAt = times.length === 0 ? null : new Date(Math.min(...times))
  return { ...record, revision: record.revision + 1, checkAt, payments }
}

function timeOf(now: number): string {
  return new Date(now).toISOString()
}
