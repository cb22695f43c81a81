/** The statuses of `@pi-checkout/service`, and what they mean for a merchant. @module */

/** Group of statuses that a merchant treats alike. */
export type Phase = 'open' | 'processing' | 'paid' | 'failed' | 'unknown'

/**
 * The value of the header `Payment-Intents-Profile` in each response of `@pi-checkout/service`: the statuses are these, and
 * the error codes are those of `problem.ts`.
 */
export const ownProfileName = 'pi-checkout'

const phases = {
  requires_payment_method: 'open',
  requires_action: 'open',
  processing: 'processing',
  succeeded: 'paid',
  failed: 'failed',
  canceled: 'failed',
  expired: 'failed',
} as const satisfies Record<string, Phase>

/** A status of `@pi-checkout/service`. The last four are final. */
export type PaymentIntentStatus = keyof typeof phases

/** Statuses of a Payment Intent. The last four are final. */
export const paymentIntentStatuses = Object.keys(phases) as PaymentIntentStatus[]

/**
 * Returns the phase of a status.
 *
 * @param status - `status` of a Payment Intent, as `retrieve()` returned it.
 * @returns `unknown`, never `paid`, for a status that this version does not support.
 * @example
 * phaseOf('succeeded') // 'paid'
 */
export function phaseOf(status: string): Phase {
  return isOwnStatus(status) ? phases[status] : 'unknown'
}

function isOwnStatus(status: unknown): status is PaymentIntentStatus {
  // An object also has names that are not its own, such as 'constructor'.
  return typeof status === 'string' && Object.hasOwn(phases, status)
}

export function isFinal(status: string): boolean {
  return ['paid', 'failed'].includes(phaseOf(status))
}
