/** Requests and responses of the sandbox API, which the inspector uses. @module */
import type {
  FieldError,
  PaymentFailure,
  PaymentIntent,
  PaymentMethod,
} from '@pi-checkout/contract'

/** An item of `GET /environments`. */
export interface SandboxEnvironment {
  readonly id: string
  readonly merchant: string
  readonly origins: readonly string[]
  /** Clock of the environment: its milliseconds from real time. */
  readonly clock: { readonly offset: number }
  /** Those that are not revoked. */
  readonly keys: readonly { readonly display: string; readonly createdAt: string }[]
}

/** Response of `GET /intents/:id`: an intent of the merchant API, with its other stored data. */
export interface ShownIntent {
  readonly intent: PaymentIntent
  /** Id of the environment. */
  readonly environment: string
  readonly finalizedAt: string | null
  /** When time alone changes the intent, or `null` if it does not. */
  readonly dueAt: string | null
  /** What the sandbox can simulate now: each of them changes the intent. */
  readonly outcomes: readonly SimulatedOutcome[]
  /** Transitions after the creation. */
  readonly events: readonly {
    readonly cause: string
    readonly status: string
    readonly at: string
  }[]
  /** At most ten. */
  readonly confirmations: readonly {
    readonly paymentMethod: PaymentMethod
    readonly failure: PaymentFailure | null
  }[]
  /** Recent requests about the intent. */
  readonly requests: readonly LoggedRequest[]
}

/** Outcomes that the sandbox can simulate. After `declined` the buyer can try again, after `failed` not. */
export const simulatedOutcomes = [
  'succeeded',
  'declined',
  'failed',
  'requires_action',
  'processing',
  'canceled',
  'expired',
] as const
export type SimulatedOutcome = (typeof simulatedOutcomes)[number]

/** `check`: a retrieve of `pi_check` with a valid key, as `checkout.start()` sends it. Its 404 is no failure. */
export type LoggedOperation = 'create' | 'retrieve' | 'check' | 'page' | 'other'

export interface LoggedRequest {
  /** Number of the request at this instance. */
  readonly number: number
  /** Real time of the request, RFC 3339 in UTC. */
  readonly at: string
  readonly method: string
  /** Path without query. Credentials and ids of possibly live intents are masked. */
  readonly path: string
  /** HTTP status, or 0 if the connection closed before all of the response was sent. */
  readonly status: number
  /** Duration in milliseconds. */
  readonly ms: number
  readonly requestId: string
  readonly operation: LoggedOperation
  /** Id of the test environment, or `null` if no key identified it. */
  readonly environment: string | null
  readonly intentId: string | null
  /** Order of the body of a create, or of the intent. `null` if neither is known. */
  readonly order: LoggedOrder | null
  /** Key with masked credentials, or `null` if none was sent. */
  readonly idempotencyKey: string | null
  readonly replayed: boolean
  /** Faults that acted, such as `drop-after-commit`. */
  readonly faults: readonly string[]
  /** Code of the problem in the response. */
  readonly problem: string | null
  /** Its explanation, masked. Empty without a problem. */
  readonly detail: string
  /** The first invalid fields, masked. */
  readonly errors: readonly FieldError[]
}

interface LoggedOrder {
  readonly orderId: string
  readonly amount: number | null
  readonly currency: string | null
}

/**
 * Response of `GET /environments/:id/requests/:request`: what was sent, with masked credentials and card numbers.
 * A body is `null` if it is empty, over 16 KB, or too old.
 */
export interface LoggedExchange {
  readonly request: LoggedRequest
  /** Headers that change the result, and those of this response alone, by lower-case name. */
  readonly headers: Readonly<Record<string, string>>
  readonly responseHeaders: Readonly<Record<string, string>>
  readonly requestBody: string | null
  readonly responseBody: string | null
}

export interface LintIssue {
  /** Such as `secret_in_url`. */
  readonly rule: string
  readonly title: string
  /** Description of this case in one sentence. */
  readonly detail: string
  readonly fix: string
  readonly requestId: string
}

export const faultOperations = ['create', 'retrieve'] as const
export type FaultOperation = (typeof faultOperations)[number]

/** A fault for the next requests of an operation. */
export interface FaultRule {
  readonly on: FaultOperation
  /** Fault as in the header `Sandbox-Fault`, such as `drop-after-commit` or `delay=500`. */
  readonly do: string
  /** Number of remaining requests. */
  readonly times: number
}

export interface StoredFaultRule extends FaultRule {
  readonly id: number
}
