/**
 * Errors of a call. They contain no key and no secret.
 *
 * @module
 */
import type { FieldError } from '@pi-checkout/contract/problem'
import { errorCodes, type PiErrorCode } from './error-codes.ts'

/**
 * Whether an intent may exist after a failed create, considering all attempts.
 *
 * `not_sent`: no attempt reached the service. `rejected`: the service rejected the request, and no intent exists.
 * `unknown`: an intent may exist. The same call again finds it.
 */
export type Outcome = 'not_sent' | 'rejected' | 'unknown'

/** One HTTP request of a call, failed or not. */
export interface RequestAttempt {
  /** HTTP status; `undefined` if no response arrived. */
  readonly status: number | undefined
  /** Code of the problem or of the transport (`ECONNRESET`); `undefined` after a success. */
  readonly code: string | undefined
  /** `Request-Id` of the response, for the service's support. */
  readonly requestId: string | undefined
  /** Milliseconds from sending to the end of the body. */
  readonly ms: number
}

/** Properties of a `PiError`. */
export interface PiErrorFacts {
  readonly code: PiErrorCode
  readonly outcome: Outcome
  readonly retryable: boolean
  readonly attempts: readonly RequestAttempt[]
  readonly idempotencyKey?: string | undefined
  readonly status?: number | undefined
  readonly requestId?: string | undefined
  readonly errors?: readonly FieldError[] | undefined
  readonly errorsOmitted?: number | undefined
  readonly cause?: unknown
}

/** Base class of every failure. A caller's mistake is a `TypeError` instead. */
export class PiError extends Error {
  override readonly name: string = 'PiError'
  /** Stays the same in every version; the README lists all codes. */
  readonly code: PiErrorCode
  /** Whether an intent may exist. */
  readonly outcome: Outcome
  /** Whether the same call with the same arguments may succeed later. */
  readonly retryable: boolean
  /** What to do. */
  readonly advice: string
  /** Idempotency key of a create. It is not secret. */
  readonly idempotencyKey: string | undefined
  /** All attempts in order. Empty if the call ended before the first. */
  readonly attempts: readonly RequestAttempt[]
  /** HTTP status of the last response. */
  readonly status: number | undefined
  /** `Request-Id` of the last response, for the service's support. */
  readonly requestId: string | undefined

  constructor(message: string, facts: PiErrorFacts) {
    super(message, facts.cause === undefined ? undefined : { cause: facts.cause })
    this.code = facts.code
    this.outcome = facts.outcome
    this.retryable = facts.retryable
    this.advice = errorCodes[facts.code].advice
    this.idempotencyKey = facts.idempotencyKey
    this.attempts = facts.attempts
    this.status = facts.status
    this.requestId = facts.requestId
  }
}

/** The service rejected the request. Read `code` and `errors`. Retry only if `retryable` is true. */
export class ApiError extends PiError {
  override readonly name = 'ApiError'
  /** The invalid fields: at most 20. */
  readonly errors: readonly FieldError[]
  /** Number of invalid fields that `errors` does not list. */
  readonly errorsOmitted: number

  constructor(message: string, facts: PiErrorFacts) {
    super(message, facts)
    this.errors = facts.errors ?? []
    this.errorsOmitted = facts.errorsOmitted ?? 0
  }
}

/** No complete response arrived. Call again with the same arguments: the same key creates no second intent. */
export class ConnectionError extends PiError {
  override readonly name = 'ConnectionError'
}

/** The key was used with a different body. Omit `idempotencyKey`, or raise `attempt` for a new intent. */
export class IdempotencyConflictError extends PiError {
  override readonly name = 'IdempotencyConflictError'
}

/** The response violates the specification. Don't use it. Check what responds at the base URL. */
export class ContractError extends PiError {
  override readonly name = 'ContractError'
}

/** The caller's signal was aborted. `outcome` shows whether an intent may exist. */
export class AbortedError extends PiError {
  override readonly name = 'AbortedError'
}

/** Combines the outcomes of all attempts. One lost response makes the call `unknown`. */
export function combineOutcomes(outcomes: readonly Outcome[]): Outcome {
  if (outcomes.includes('unknown')) return 'unknown'
  return outcomes.includes('rejected') ? 'rejected' : 'not_sent'
}
