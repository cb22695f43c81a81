/**
 * What a view means to the page: which screen, which result, and whether anything can still happen.
 * Pure.
 *
 * @module
 */
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

/** How the result heading names the end. */
export type Result = 'paid' | 'failed' | 'processing' | 'canceled' | 'expired'

/** @param patient Whether the page still waits for a result that is pending. */
export function screenOf(view: CheckoutView | undefined, patient: boolean): Screen {
  switch (view?.status) {
    case undefined:
      return 'opening'
    case 'requires_payment_method':
      return 'card'
    case 'requires_action':
      return view?.nextAction?.type === 'redirect' ? 'bank' : 'challenge'
    case 'processing':
      return patient ? 'processing' : 'result'
    default:
      return 'result'
  }
}

/** Names the end that a settled, or a long pending, view has come to. */
export function resultOf({ status }: Pick<CheckoutView, 'status'>): Result {
  switch (status) {
    case 'succeeded':
      return 'paid'
    case 'processing':
    case 'canceled':
    case 'expired':
      return status
    default:
      return 'failed'
  }
}

/** Tells whether no later event changes the view. */
export function isOver({ status }: Pick<CheckoutView, 'status'>): boolean {
  return (
    status === 'succeeded' || status === 'failed' || status === 'canceled' || status === 'expired'
  )
}
