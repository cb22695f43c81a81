/** Errors of a call. They contain no key and no secret. @module */
import type { FieldError } from '@pi-checkout/contract/problem'
import {
  type ApiErrorCode,
  advices,
  type ConnectionErrorCode,
  type ContractErrorCode,
  connectionCodes,
  contractCodes,
  type PiErrorCode,
} from './error-codes.ts'
import { excerpt, quote } from './redact.ts'

/**
 * Whether an intent may exist after a failed create, considering all requests of the call.
 *
 * `not_sent`: no request reached the service. `rejected`: the service rejected the request, and no intent exists.
 * `unknown`: an intent may exist. The same call again finds it.
 */
export type Outcome = 'not_sent' | 'rejected' | 'unknown'

/** One HTTP request of a call, failed or not. */
export interface RequestSummary {
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
export interface PiErrorFacts<Code extends PiErrorCode = PiErrorCode> {
  readonly code: Code
  readonly outcome: Outcome
  readonly retryable: boolean
  readonly requests: readonly RequestSummary[]
  readonly idempotencyKey?: string | undefined
  readonly status?: number | undefined
  readonly requestId?: string | undefined
  readonly errors?: readonly FieldError[] | undefined
  readonly errorsOmitted?: number | undefined
  readonly cause?: unknown
}

// Shared by all copies of this package: a package manager, a bundle, or a test runner may load several.
const brand = Symbol.for('pi-checkout.error')

/** A `PiError` that `name` narrows: `if (PiError.is(error) && error.name === 'ApiError')`. */
export type PiFailure =
  | ApiError
  | ConnectionError
  | IdempotencyConflictError
  | ContractError
  | AbortedError

/** Base class of every failure. A caller's mistake is a `TypeError` instead. */
export class PiError<Code extends PiErrorCode = PiErrorCode> extends Error {
  static {
    Object.defineProperty(PiError.prototype, brand, { value: true })
  }

  /**
   * Returns whether an error is a `PiError`, also one of another copy of this package, for which `instanceof` is false.
   *
   * @example
   * if (PiError.is(error) && error.name === 'ConnectionError') return retryLater()
   */
  static is(error: unknown): error is PiFailure {
    return error instanceof Error && brand in error
  }

  override readonly name: string = 'PiError'
  /** Stays the same in every version. Its type lists all. */
  readonly code: Code
  /** Whether an intent may exist. */
  readonly outcome: Outcome
  /** Whether the same call with the same arguments may succeed later. */
  readonly retryable: boolean
  /** What to do. */
  readonly advice: string
  /** Idempotency key of a create. It is not secret. */
  readonly idempotencyKey: string | undefined
  /** All requests in order. Empty if the call ended before the first. */
  readonly requests: readonly RequestSummary[]
  /** HTTP status of the last response. */
  readonly status: number | undefined
  /** `Request-Id` of the last response, for the service's support. */
  readonly requestId: string | undefined

  constructor(message: string, facts: PiErrorFacts<Code>) {
    super(message, facts.cause === undefined ? undefined : { cause: facts.cause })
    this.code = facts.code
    this.outcome = facts.outcome
    this.retryable = facts.retryable
    this.advice = advices[facts.code]
    this.idempotencyKey = facts.idempotencyKey
    this.requests = facts.requests
    this.status = facts.status
    this.requestId = facts.requestId
  }
}

/** The service rejected the request. Read `code` and `errors`. Retry only if `retryable` is true. */
export class ApiError extends PiError<ApiErrorCode> {
  override readonly name = 'ApiError'
  /** HTTP status of the response. */
  declare readonly status: number
  /** The invalid fields: at most 20. */
  readonly errors: readonly FieldError[]
  /** Number of invalid fields that `errors` does not list. */
  readonly errorsOmitted: number

  constructor(message: string, facts: PiErrorFacts<ApiErrorCode> & { readonly status: number }) {
    super(message, facts)
    this.errors = facts.errors ?? []
    this.errorsOmitted = facts.errorsOmitted ?? 0
  }
}

/** No complete response arrived. Call again with the same arguments: the same key creates no second intent. */
export class ConnectionError extends PiError<ConnectionErrorCode> {
  override readonly name = 'ConnectionError'
}

/** The key was used with a different body. Omit `idempotencyKey`, or raise `attempt` for a new intent. */
export class IdempotencyConflictError extends PiError<'idempotency_key_reused'> {
  override readonly name = 'IdempotencyConflictError'
  /** HTTP status of the response. */
  declare readonly status: number
}

/** The response violates the specification. Don't use it. Check what responds at the base URL. */
export class ContractError extends PiError<ContractErrorCode> {
  override readonly name = 'ContractError'
}

/** The caller's signal was aborted. `outcome` shows whether an intent may exist. */
export class AbortedError extends PiError<'aborted'> {
  override readonly name = 'AbortedError'
}

/** Returns the error of a failed call. Its code selects the class. */
export function errorOf(message: string, facts: PiErrorFacts): PiFailure {
  const { code, status = 0 } = facts
  if (code === 'aborted') return new AbortedError(message, { ...facts, code })
  if (code === 'idempotency_key_reused') {
    return new IdempotencyConflictError(message, { ...facts, code })
  }
  if (isOneOf(connectionCodes, code)) return new ConnectionError(message, { ...facts, code })
  if (isOneOf(contractCodes, code)) return new ContractError(message, { ...facts, code })
  return new ApiError(message, { ...facts, code, status })
}

function isOneOf<Code extends string>(codes: readonly Code[], code: string): code is Code {
  return codes.some((one) => one === code)
}

/** A variable is missing, or a variable or an option is malformed. Nothing was sent. */
export class ConfigurationError extends TypeError {
  override readonly name = 'ConfigurationError'
  /** Whether a variable is not set, or a value is invalid. */
  readonly code: 'missing_variable' | 'malformed_option'
  /** Name of the variable or option. */
  readonly field: string

  /** @param rule - What is wrong, and how to fix it. */
  constructor(
    field: string,
    rule: string,
    {
      code = 'malformed_option',
      cause,
    }: { readonly code?: ConfigurationError['code']; readonly cause?: unknown } = {},
  ) {
    super(`${field}: ${rule}`, cause === undefined ? undefined : { cause })
    this.field = field
    this.code = code
  }
}

/** Returns the error of a malformed option, which shows the start of its value. */
export function malformedOption(name: string, rule: string, value: unknown): ConfigurationError {
  const received = typeof value === 'string' ? quote(value) : excerpt(String(value))
  return new ConfigurationError(name, `${rule}; received ${received}.`)
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

/** Combines the outcomes of all requests. One lost response makes the call `unknown`. */
export function combineOutcomes(outcomes: readonly Outcome[]): Outcome {
  if (outcomes.includes('unknown')) return 'unknown'
  return outcomes.includes('rejected') ? 'rejected' : 'not_sent'
}
