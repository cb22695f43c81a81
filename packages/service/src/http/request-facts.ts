/** What the service learns about a request while it serves it, for its logs. @module */
import type { PaymentIntent } from '@pi-checkout/contract'
import type { ProblemError } from './problem.ts'

export class Facts {
  /** Time of `performance.now()`, in milliseconds. */
  readonly startedAt = performance.now()
  /** Whether it is for a page for developers, so that a browser gets the page of a problem. */
  isForPeople = false
  /** Environment of the API key, or of the intent of a hosted page. */
  environment: { readonly id: string; readonly mode: 'test' | 'live' } | undefined
  /** Intent that the request created or read. */
  intent: Pick<PaymentIntent, 'id' | 'orderId' | 'amount' | 'currency'> | undefined
  /** Origin of a page that requested a hosted page and is not registered. */
  unregisteredOrigin: string | undefined
  replayed = false
  /** Faults that the sandbox applied. */
  faults: readonly string[] = []
  /** Body of the request, if it was read. */
  sentBody: string | undefined
  /** Body of the response, if it is a text. */
  responseBody: string | undefined
  /** Error that the response contains. */
  problem: ProblemError | undefined
}
