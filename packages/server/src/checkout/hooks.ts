/** Runs the hooks of decided payments: each in one process at a time, until it has returned. @module */
import type { CheckoutOptions, PaymentUnderReview } from './options.ts'
import type { Payment, PaymentRecord, ReviewReason } from './payment-record.ts'
import { endHook, leaseTime } from './record-changes.ts'
import type { Changed, Records } from './records.ts'
import { callShop, inTime, Late } from './shop-error.ts'

/** Milliseconds for a hook: less than its lease. */
const hookTimeout = leaseTime / 2

export interface Hooks extends Pick<CheckoutOptions, 'onPaid'> {
  readonly onReview: (review: PaymentUnderReview) => unknown
  readonly onError: (error: unknown, orderId?: string) => void
}

/**
 * Runs the hooks whose leases a change has taken, at the same time. Reports what a hook throws: a later look runs it again.
 *
 * @returns The record after the hooks.
 */
export async function runHooks(
  { hooks, records }: { readonly hooks: Hooks; readonly records: Records },
  { before, after }: Changed,
): Promise<PaymentRecord> {
  const known = new Map(before.payments.map((one) => [one.intentId, one.leaseUntil]))
  const leased = after.payments.filter(
    ({ intentId, leaseUntil }) => leaseUntil !== undefined && leaseUntil !== known.get(intentId),
  )
  if (leased.length === 0) return after
  const { orderId } = after
  // One save after the other: they would only race with each other.
  let stored = Promise.resolve(after)
  const run = async (payment: Payment): Promise<void> => {
    // Storing the lease took so long that another process could take it while the hook runs.
    if (Date.now() + hookTimeout > Date.parse(payment.leaseUntil ?? '')) return
    const result = await runHook(hooks, orderId, payment)
    // A hook that has not returned may still run.
    if (result === 'late') return
    stored = stored.then(async (record) => {
      const ended = await records.change(orderId, endHook(payment, result, Date.now()), record)
      return ended.after
    })
    await stored
  }
  await Promise.all(leased.map(run))
  return stored
}

async function runHook(
  hooks: Hooks,
  orderId: string,
  payment: Payment,
): Promise<'returned' | 'rejected' | 'failed' | 'late'> {
  const name = payment.state === 'paying' ? 'onPaid' : 'onReview'
  const about = `for intent ${payment.intentId} of order ${JSON.stringify(orderId)}`
  try {
    const returned = callShop(`${name} failed ${about}`, () => call(hooks, orderId, payment))
    const pays = await inTime(returned, {
      ms: hookTimeout,
      event: `${name} did not return ${about}`,
    })
    return pays ? 'returned' : 'rejected'
  } catch (error) {
    hooks.onError(error, orderId)
    return error instanceof Late ? 'late' : 'failed'
  }
}

/** Returns whether the payment stays what it is. */
async function call(
  { onPaid, onReview }: Hooks,
  orderId: string,
  payment: Payment,
): Promise<boolean> {
  if (payment.state === 'reviewing') {
    await onReview({ orderId, payment, reason: payment.reason as ReviewReason })
    return true
  }
  const accepted = payment.reason === 'accepted'
  const pays: unknown = await onPaid({ orderId, payment, accepted })
  if (typeof pays === 'boolean') return pays
  throw new TypeError('must return true, or false if the payment does not pay for the order.')
}
