/**
 * What went wrong, whether an intent may exist, and what to do now. No error holds a key or a secret.
 *
 * @module
 */
import type { FieldError } from '@pi-checkout/contract/problem'
import { errorCodes, type PiErrorCode } from './error-codes.ts'

/**
 * Whether an intent may exist after a failed create, folded over all attempts.
 *
 * `not_sent`: no attempt reached the service. `rejected`: the service refused, nothing exists.
 * `unknown`: an intent may exist; the same call again finds it instead of making a second one.
 */
export type Outcome = 'not_sent' | 'rejected' | 'unknown'

/** One exchange with the service, failed or not. */
export interface Attempt {
  /** HTTP status, or `undefined` when no answer came. */
  readonly status: number | undefined
  /** The problem's code, or the transport's (`ECONNRESET`), or `undefined` after a success. */
  readonly code: string | undefined
  /** The `Request-Id` of the answer: quote it to the service's support. */
  readonly requestId: string | undefined
  /** Milliseconds from sending to the end of the body. */
  readonly ms: number
}

/** The facts that every `PiError` carries. */
export interface PiErrorFacts {
  readonly code: PiErrorCode
  readonly outcome: Outcome
  readonly retryable: boolean
  readonly attempts: readonly Attempt[]
  readonly idempotencyKey?: string | undefined
  readonly status?: number | undefined
  readonly requestId?: string | undefined
  readonly errors?: readonly FieldError[] | undefined
  readonly cause?: unknown
}

/** Base of every failure that is not the caller's mistake; those are a `TypeError`. */
export class PiError extends Error {
  override readonly name: string = 'PiError'
  readonly code: PiErrorCode
  /** Whether an intent may exist. */
  readonly outcome: Outcome
  /** Whether the same call, with the same arguments, may succeed later. */
  readonly retryable: boolean
  /** What to do now, in words. */
  readonly advice: string
  /** The key that every attempt carried, on a create. It is no secret. */
  readonly idempotencyKey: string | undefined
  /** Every attempt in order. Empty when the call ended before the first. */
  readonly attempts: readonly Attempt[]
  /** HTTP status of the last answer. */
  readonly status: number | undefined
  /** `Request-Id` of the last answer: quote it to the service's support. */
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

/** The service refused. Read `code` and `errors`; repeat only when `retryable`. */
export class ApiError extends PiError {
  override readonly name = 'ApiError'
  /** What is wrong with each field, where the service said so. */
  readonly errors: readonly FieldError[]

  constructor(message: string, facts: PiErrorFacts) {
    super(message, facts)
    this.errors = facts.errors ?? []
  }
}

/** No complete answer came. Call again with the same arguments: the same key makes no second intent. */
export class ConnectionError extends PiError {
  override readonly name = 'ConnectionError'
}

/** The key was used with another body. Drop `idempotencyKey`, or raise `attempt` for a new intent. */
export class IdempotencyConflictError extends PiError {
  override readonly name = 'IdempotencyConflictError'
}

/** The answer broke the specification. Hand out nothing; look at what stands at the base URL. */
export class ContractError extends PiError {
  override readonly name = 'ContractError'
}

/** The caller's signal was aborted. `outcome` says whether an intent may exist all the same. */
export class AbortedError extends PiError {
  override readonly name = 'AbortedError'
}

/**
 * Folds what each attempt leaves possible into one answer.
 *
 * One lost answer makes the whole call `unknown`, whatever came after it.
 */
export function foldOutcomes(outcomes: readonly Outcome[]): Outcome {
  if (outcomes.includes('unknown')) return 'unknown'
  return outcomes.includes('rejected') ? 'rejected' : 'not_sent'
}
