/** Errors of a call. They contain no key, no secret, and no value that was received. @module */
import type { FieldError } from '@pi-checkout/contract/problem'
import { advices, type PiErrorCode } from './error-codes.ts'

/**
 * Whether an intent may exist after a failed create, considering all requests of the call.
 *
 * `not_sent`: no request reached the service. `rejected`: the service rejected the request, and no intent exists.
 * `unknown`: an intent may exist. The same call again finds it.
 */
export type Outcome = 'not_sent' | 'rejected' | 'unknown'

/** Properties of a `PiError`. */
export interface PiErrorFacts
  extends Pick<PiError, 'code' | 'outcome' | 'retryable'>,
    Partial<Pick<PiError, 'idempotencyKey' | 'status' | 'requestId' | 'errors'>> {
  readonly cause?: unknown
}

// Shared by all copies of this package: a package manager, a bundle, or a test runner may load several.
const brand = Symbol.for('pi-checkout.error')

/** A failed call. A caller's mistake is a `TypeError` instead. */
export class PiError extends Error {
  static {
    Object.defineProperty(PiError.prototype, brand, { value: true })
  }

  /**
   * Returns whether an error is a `PiError`, also one of another copy of this package, for which `instanceof` is false.
   *
   * @example
   * if (PiError.is(error) && error.retryable) return retryLater()
   */
  static is(error: unknown): error is PiError {
    return error instanceof Error && brand in error
  }

  override readonly name = 'PiError'
  /** Stays the same in every version. Its type lists all. */
  readonly code: PiErrorCode
  /** Whether an intent may exist. */
  readonly outcome: Outcome
  /** Whether the same call with the same arguments may succeed later. */
  readonly retryable: boolean
  /** What to do. */
  readonly advice: string
  /** Idempotency key of a create. It is not secret. */
  readonly idempotencyKey: string | undefined
  /** HTTP status of the last response; `undefined` if none arrived. */
  readonly status: number | undefined
  /** `Request-Id` of the last response, for the service's support. */
  readonly requestId: string | undefined
  /** The fields that the service calls invalid: at most 20. */
  readonly errors: readonly FieldError[]

  constructor(message: string, facts: PiErrorFacts) {
    super(message, facts.cause === undefined ? undefined : { cause: facts.cause })
    this.code = facts.code
    this.outcome = facts.outcome
    this.retryable = facts.retryable
    this.advice = advices[facts.code]
    this.idempotencyKey = facts.idempotencyKey
    this.status = facts.status
    this.requestId = facts.requestId
    this.errors = facts.errors ?? []
  }
}

/** A variable is missing, or a variable or an option is malformed. Nothing was sent. */
export class ConfigurationError extends TypeError {
  override readonly name = 'ConfigurationError'
  /** Whether a variable is not set, or a value is invalid. */
  readonly code: 'missing_variable' | 'malformed_option'
  /** Name of the variable or option. */
  readonly field: string

  /** @param rule - What is wrong, and how to fix it. */
  constructor(field: string, rule: string, code: ConfigurationError['code'] = 'malformed_option') {
    super(`${field}: ${rule}`)
    this.field = field
    this.code = code
  }
}

/** An argument of a call is invalid. Nothing was sent. */
export class InvalidParamsError extends TypeError {
  override readonly name = 'InvalidParamsError'
  /** The invalid fields: at most 20. */
  readonly errors: readonly FieldError[]

  constructor(errors: readonly FieldError[]) {
    super(errors.map(({ detail }) => detail).join('; '))
    this.errors = errors
  }
}

export function invalidParam(name: string, rule: string): InvalidParamsError {
  const detail = `${name}: ${rule}`
  return new InvalidParamsError([{ pointer: `/${name}`, code: 'invalid_format', detail }])
}
