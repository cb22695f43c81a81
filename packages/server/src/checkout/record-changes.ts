/** How a record changes. Pure functions: each returns the next record, or `undefined` if nothing changes. @module */
import { invalidParam } from '../client/errors.ts'
import type { Payment, PaymentRecord } from './payment-record.ts'
import { type CheckoutOrder, decide, ordersPayment } from './payment-state.ts'

export type Change = (record: PaymentRecord) => PaymentRecord | undefined

/** What the service returned about an intent. */
export interface Seen {
  readonly state: 'open' | 'processing' | 'unknown' | 'failed' | 'paid'
  /** Why it failed, or `mismatch` if it is not the stored intent. */
  readonly reason?: string | undefined
}

/** What one look at an order has found. */
export interface Findings {
  /** The record before the intents were retrieved. */
  readonly before: PaymentRecord
  /** By the id of the intent. */
  readonly seen: ReadonlyMap<string, Seen>
  /** Whether a retrieve failed, other than for an intent that the service does not have. */
  readonly hasFailed: boolean
  /** The order, read after the intents were retrieved; `undefined` if the shop no longer has it. */
  readonly order: CheckoutOrder | undefined
  /** Whether a failed payment can still be paid, as at another service. */
  readonly keepsFailed: boolean
  /** The states whose hooks this process will run. */
  readonly hooks: readonly Payment['state'][]
}

const minute = 60_000
const hour = 60 * minute
const day = 24 * hour
/** Time since the last handoff after which an open payment is looked at less than once a day. */
const maxAge = 90 * day
/** For how long a failed payment of another service is looked at. */
const watchTime = 7 * day
/** For how long no other process runs a hook. */
export const leaseTime = 60_000

/** Returns whether a payment may still be paid, as far as the record knows. */
export function isUnsettled({ state, since }: Payment, now: number): boolean {
  if (state === 'failed') return since !== undefined && Date.parse(since) + watchTime > now
  return isPending(state)
}

/** Returns whether a payment's hook has not returned. */
export function hasHook({ state }: Pick<Payment, 'state'>): boolean {
  return state === 'paying' || state === 'reviewing'
}

function isLeased({ leaseUntil }: Payment, now: number): boolean {
  return leaseUntil !== undefined && Date.parse(leaseUntil) > now
}

/**
 * Adds an intent that is about to be handed out, or notes that it is handed out again. Only a payment with a body can be
 * handed out: of two tabs with different customers, it is the one that is stored first.
 *
 * @param about - `replaced` is the payment whose key names this intent now.
 */
export function storeHandoff(
  created: Pick<Payment, 'intentId' | 'version' | 'attempt' | 'amount' | 'currency' | 'body'>,
  {
    isOpen,
    replaced,
    now,
  }: { readonly isOpen: boolean; readonly replaced: string | undefined; readonly now: number },
): Change {
  const { intentId, version } = created
  const handedAt = timeOf(now)
  return (record) => {
    const stored = record.payments.find((one) => one.intentId === intentId)
    if (stored && !(isOpen && stored.state === 'open')) return undefined
    // Another request has just noted it.
    if (stored && Math.abs(now - Date.parse(stored.handedAt)) < 1_000) return undefined
    const others = record.payments.map((one): Payment => {
      if (one.intentId === intentId) return { ...one, handedAt }
      return one.intentId === replaced ? { ...one, body: undefined } : one
    })
    const isTaken = others.some(
      (one) => isPending(one.state) && one.version === version && one.body !== undefined,
    )
    const added: Payment = {
      ...created,
      body: isTaken ? undefined : created.body,
      // The response of a replay shows the intent as it was created.
      state: isOpen ? 'open' : 'unknown',
      createdAt: handedAt,
      handedAt,
    }
    const payments = stored ? others : [...others, added]
    return nextRecord(record, payments, { checkAt: soonest(record, payments, now), now })
  }
}

/**
 * Stores what a look has found: decides about paid payments, takes the leases of their hooks, and sets the time of the next
 * look. A result that is not final is discarded if the record has changed since: it may be older.
 */
export function storeFindings(findings: Findings, now: number): Change {
  const { before, seen, hasFailed, order, keepsFailed, hooks } = findings
  return (record) => {
    const isUnchanged = record.revision === before.revision
    const next: Payment[] = [...record.payments]
    for (const [at, payment] of record.payments.entries()) {
      const found = seen.get(payment.intentId)
      if (!found) continue
      if (found.state === 'paid' || found.state === 'failed' || isUnchanged) {
        next[at] = afterSeen(payment, found, { payments: next, order, keepsFailed, now })
      }
    }
    for (const [at, payment] of next.entries()) {
      if (!hooks.includes(payment.state) || isLeased(payment, now)) continue
      next[at] = { ...payment, leaseUntil: timeOf(now + leaseTime) }
    }
    // A look that leaves a hook to another one does not postpone it.
    const leavesHook = next.some((payment) => hasHook(payment) && !hooks.includes(payment.state))
    const isDue = record.checkAt !== null && Number(record.checkAt) <= now && !leavesHook
    const isChanged = next.some((payment, at) => payment !== record.payments[at])
    // Otherwise an older response could be stored after this one.
    const isWaiting = [...seen.values()].some(
      ({ state }) => state === 'processing' || state === 'unknown',
    )
    if (!isDue && !isChanged && !(isWaiting && isUnchanged)) return undefined
    if (hasFailed || leavesHook) {
      // Others are due before it now.
      const checkAt = isDue ? now + minute : soonest(record, next, now)
      return nextRecord(record, next, { checkAt, now })
    }
    return nextRecord(record, next, { checkAt: nextLook(next, now), now })
  }
}

/** Ends the lease after the hook has returned, or failed. */
export function endHook(
  leased: Payment,
  result: 'returned' | 'rejected' | 'failed',
  now: number,
): Change {
  return (record) => {
    const stored = record.payments.find(({ intentId }) => intentId === leased.intentId)
    // The merchant has decided, or another process runs the hook.
    if (stored?.state !== leased.state || stored.leaseUntil !== leased.leaseUntil) return undefined
    const returned = stored.state === 'paying' ? 'paid' : 'review'
    const changes = {
      returned: { state: returned, since: undefined },
      rejected: { state: 'reviewing', reason: 'rejected', since: timeOf(now) },
      failed: {},
    } as const
    const changed = { ...stored, leaseUntil: undefined, ...changes[result] }
    return replace(record, changed, now)
  }
}

/**
 * Stores the merchant's decision, and takes the lease of `onPaid` for an accepted payment.
 *
 * @throws {InvalidParamsError} If they cannot decide this about the payment.
 */
export function resolvePayment(
  intentId: string,
  decision: 'accepted' | 'refunded',
  now: number,
): Change {
  return (record) => {
    const payment = record.payments.find((one) => one.intentId === intentId)
    const refusal = refusalOf(record, payment, decision, now)
    if (!payment || refusal) {
      throw invalidParam('intentId', `order ${JSON.stringify(record.orderId)} ${refusal}`)
    }
    const state = { accepted: 'paying', refunded: 'refunded' } as const
    const hook =
      decision === 'accepted'
        ? { since: timeOf(now), leaseUntil: timeOf(now + leaseTime) }
        : { since: undefined, leaseUntil: undefined }
    return replace(record, { ...payment, state: state[decision], reason: decision, ...hook }, now)
  }
}

/** Returns why the merchant cannot decide this about a payment; `undefined` if they can. */
function refusalOf(
  { payments }: PaymentRecord,
  payment: Payment | undefined,
  decision: 'accepted' | 'refunded',
  now: number,
): string | undefined {
  const { state } = payment ?? {}
  if (payment && decision === 'refunded') {
    if (state === 'paid' || state === 'reviewing' || state === 'review') return undefined
    if (state !== 'paying') return 'has no such payment that is paid or under review.'
    return isLeased(payment, now) ? 'is running onPaid for it. Try again in a minute.' : undefined
  }
  if (state !== 'reviewing' && state !== 'review') return 'has no such payment under review.'
  const other = ordersPayment(payments)
  return other && `is already paid by intent ${other.intentId}. Refund one of the two.`
}

function isPending(state: Payment['state']): boolean {
  return state === 'open' || state === 'processing' || state === 'unknown'
}

function afterSeen(
  payment: Payment,
  { state, reason }: Seen,
  {
    payments,
    order,
    keepsFailed,
    now,
  }: Pick<Findings, 'order' | 'keepsFailed'> & {
    readonly payments: readonly Payment[]
    readonly now: number
  },
): Payment {
  if (payment.state === state || !(isPending(payment.state) || payment.state === 'failed')) {
    return payment
  }
  if (state === 'paid') {
    const decided =
      reason === 'mismatch'
        ? ({ state: 'reviewing', reason } as const)
        : { reason: undefined, ...decide(payment, payments, order) }
    return { ...payment, body: undefined, ...decided, since: timeOf(now) }
  }
  if (state === 'failed') {
    const since = keepsFailed ? timeOf(now) : undefined
    return { ...payment, body: undefined, state, reason, since }
  }
  return { ...payment, state, reason: undefined, since: undefined }
}

/** Returns when to look again: after an eighth of the time that has passed. */
function nextLook(payments: readonly Payment[], now: number): number {
  const after = (since: number, longest: number): number =>
    now + Math.min(Math.max((now - since) / 8, minute), longest)
  const handedAt = Math.max(...payments.map((payment) => Date.parse(payment.handedAt)))
  const isOld = now - handedAt >= maxAge
  const times = payments.map((payment) => {
    if (hasHook(payment)) return after(Date.parse(payment.since ?? ''), hour)
    if (!isUnsettled(payment, now)) return Infinity
    const isOpen = payment.state === 'open' || payment.state === 'unknown'
    // Money that is on its way is waited for.
    return after(handedAt, isOld && isOpen ? Infinity : day)
  })
  return Math.min(...times)
}

/** The time of the next look after a change without a look. */
function soonest({ checkAt }: PaymentRecord, payments: readonly Payment[], now: number): number {
  const next = nextLook(payments, now)
  return next === Infinity || checkAt === null ? next : Math.min(Number(checkAt), next)
}

function replace(record: PaymentRecord, changed: Payment, now: number): PaymentRecord {
  const payments = record.payments.map((one) => (one.intentId === changed.intentId ? changed : one))
  return nextRecord(record, payments, { checkAt: soonest(record, payments, now), now })
}

/** Of failed payments that are settled, only the highest attempt of each version is kept. */
function nextRecord(
  record: PaymentRecord,
  all: readonly Payment[],
  { checkAt, now }: { readonly checkAt: number; readonly now: number },
): PaymentRecord {
  const payments = all.filter(
    (payment) =>
      payment.state !== 'failed' ||
      isUnsettled(payment, now) ||
      !all.some(({ version, attempt }) => version === payment.version && attempt > payment.attempt),
  )
  return {
    ...record,
    revision: record.revision + 1,
    checkAt: checkAt === Infinity ? null : new Date(checkAt),
    payments,
  }
}

function timeOf(now: number): string {
  return new Date(now).toISOString()
}
