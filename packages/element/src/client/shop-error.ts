/** An error response of the shop's own server. @module */
import type { HandoffProblemCode } from '@pi-checkout/contract/handoff-problem'

export type { HandoffProblemCode }

/** Your server returned no handoff, or no status. The message is the title that it sent. */
export class ShopError extends Error {
  override readonly name = 'ShopError'

  /** Such as `order_already_paid`. `unknown` if the response has none. */
  declare readonly code: HandoffProblemCode | 'unknown' | (string & {})

  /** HTTP status of the response. */
  declare readonly status: number

  /** Whether the same request can succeed later: as the response says, else HTTP status 429, or 500 and above. */
  declare readonly retryable: boolean

  /** The order that the response names. */
  declare readonly orderId: string | undefined

  /**
   * Creates an error of a response.
   *
   * @param status - HTTP status.
   * @param problem - Body of the response.
   */
  constructor(
    status: number,
    { title, code, retryable, orderId }: { readonly [name: string]: unknown },
  ) {
    super(textOf(title) ?? `The shop returned ${status}`)
    this.code = textOf(code) ?? 'unknown'
    this.status = status
    this.retryable = typeof retryable === 'boolean' ? retryable : status === 429 || status >= 500
    this.orderId = textOf(orderId)
  }
}

/** Returns a value of a response that is a text, and not empty. */
export function textOf(value: unknown): string | undefined {
  return typeof value === 'string' && value ? value : undefined
}
