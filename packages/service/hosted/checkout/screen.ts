/** What a view means for the page: the screen, the result, and whether it can still change. Pure. @module */
import type { CheckoutView } from '../../shared/checkout-api.ts'

/** What the page shows; `confirm-here` offers to open a challenge that this window does not show. */
export type Screen =
  | 'opening'
  | 'card'
  | 'challenge'
  | 'confirm-here'
  | 'bank'
  | 'processing'
  | 'result'

/** The results that have a heading. */
export type Result = 'paid' | 'failed' | 'processing' | 'canceled' | 'expired'

/** @param isWaiting - Whether the page still waits for a pending result. */
export function screenOf(view: CheckoutView | undefined, isWaiting: boolean): Screen {
  switch (view?.status) {
    case undefined:
      return 'opening'
    case 'requires_payment_method':
      return 'card'
    case 'requires_action':
      return view?.nextAction?.type === 'redirect' ? 'bank' : 'challenge'
    case 'processing':
      return isWaiting ? 'processing' : 'result'
    default:
      return 'result'
  }
}

/** Returns the result of a final view. Of any other, only the shop can know it. */
export function resultOf({ status }: Pick<CheckoutView, 'status'>): Result {
  if (status === 'succeeded') return 'paid'
  return status === 'failed' || status === 'canceled' || status === 'expired'
    ? status
    : 'processing'
}

/** Returns whether the view cannot change anymore. */
export function isFinal({ status }: Pick<CheckoutView, 'status'>): boolean {
  return ['succeeded', 'failed', 'canceled', 'expired'].includes(status)
}
