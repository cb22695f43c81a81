/** Reports errors and reviews: to the shop's hook, or to stderr. @module */
import type { CheckoutOptions, PaymentUnderReview } from './options.ts'
import { HandoffRejection } from './problem.ts'

export type Report<Context> = NonNullable<CheckoutOptions<Context>['onError']>

/** Lines per minute about rejected requests: a client can send as many as it likes. It hides no other error. */
const maxLines = 60

export function reporterOf<Context>({
  onError,
}: Pick<CheckoutOptions<Context>, 'onError'>): Report<Context> {
  let minute = 0
  let lines = 0
  return (about) => {
    if (onError) {
      // An error of the listener, also a later one, must not change the response.
      const call = async (): Promise<void> => onError(about)
      call().catch(() => {})
      return
    }
    const { error } = about
    const isRejection = error instanceof HandoffRejection
    if (isRejection) {
      const now = Math.floor(Date.now() / 60_000)
      lines = now === minute ? lines + 1 : 1
      minute = now
      if (lines > maxLines) return
    }
    const line = isRejection && `rejected with ${error.status} ${error.code}: ${error.message}`
    // biome-ignore lint/suspicious/noConsole: otherwise the shop would not see the cause.
    console.error('pi-checkout:', line || error)
  }
}

export function logReview({ orderId, payment, reason }: PaymentUnderReview): void {
  const { amount, currency, intentId } = payment
  const text = `payment ${intentId} of ${amount} ${currency} for order ${JSON.stringify(orderId)} needs a review: ${reason}. Accept or refund it with resolve().`
  // biome-ignore lint/suspicious/noConsole: otherwise the shop would keep money that pays for nothing.
  console.error('pi-checkout:', text)
}
