/**
 * Responses and requests of the sandbox API, which the inspector shows.
 *
 * @module
 */
import type { PaymentFailure, PaymentIntent, PaymentMethod } from '@pi-checkout/contract'

/** What the inspector shows. Each topic is read with a separate request. */
export const topics = [
  'environments',
  'faults',
  'idempotency',
  'intents',
  'lint',
  'requests',
] as const
export type Topic = (typeof topics)[number]

/** A merchant's test environment. */
export interface SandboxEnvironment {
  readonly id: string
  readonly merchant: string
  readonly origins: readonly string[]
  /** `offset`: milliseconds between environment time and real time. */
  readonly clock: { readonly offset: number; readonly now: string }
  readonly keys: readonly {
    readonly id: string
    readonly display: string
    readonly createdAt: string
    readonly expiresAt: string | null
    readonly revokedAt: string | null
  }[]
}

/** Response of `GET /environments`. */
export interface SandboxEnvironments {
  readonly environments: readonly SandboxEnvironment[]
  /** Options that lead `pi-service` to this store; `null` if no command can reach it. */
  readonly commandOptions: string | null
}

/** A page of the list of intents, the newest first. */
export interface IntentPage {
  readonly intents: readonly PaymentIntent[]
  /** Whether there are older ones. */
  readonly older: boolean
}

/** An intent as a merchant retrieves it, and everything else that is stored about it. */
export interface IntentDetails {
  readonly intent: PaymentIntent
  /** Id of its environment. */
  readonly environment: string
  readonly version: number
  /** Number of confirmations, 0 to 10. */
  readonly confirms: number
  readonly expiresAt: string
  readonly finalizedAt: string | null
  /** A success that the provider has decided and that is not shown yet. */
  readonly settlement: { readonly at: string; readonly providerPaymentId: string } | null
  /** Every transition; the creation is `createdAt`. */
  readonly events: readonly IntentEvent[]
  readonly attempts: readonly Confirmation[]
}

/** Response of `GET /intents/:id`. */
export interface ShownIntent extends IntentDetails {
  readonly replayUntil: string | null
  readonly secretRevoked: boolean
  /** The newest requests about it. */
  readonly requests: readonly LoggedRequest[]
}

/** One transition of an intent. */
export interface IntentEvent {
  readonly version: number
  readonly cause: string
  readonly status: string
  readonly createdAt: string
}

/** One press of Pay. */
export interface Confirmation {
  readonly attemptId: string
  readonly state: string
  readonly paymentMethod: PaymentMethod
  /** What the provider decides when it is asked: `authorised`, `declined:lost_card`. */
  readonly outcome: string
  readonly failure: PaymentFailure | null
  readonly providerPaymentId: string | null
  readonly createdAt: string
  readonly updatedAt: string
}

/** States to which the sandbox can bring an intent: `declined` lets the buyer try again, `failed` does not. */
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

/** Kind of a logged request. */
export type RouteName = 'create' | 'retrieve' | 'page' | 'other'

/** One request and its response as the request log shows them. */
export interface LoggedRequest {
  /** Grows by one with each request of this instance. */
  readonly number: number
  /** Real time, RFC 3339 in UTC. */
  readonly at: string
  readonly method: string
  /** Without query; credentials in it are masked, and ids that no test environment has shown. */
  readonly path: string
  /** HTTP status; 0: the connection ended before the whole response. */
  readonly status: number
  /** Milliseconds until the response was written. */
  readonly ms: number
  readonly requestId: string
  readonly operation: RouteName
  /** Id of the test environment; `null` if no key identified it. */
  readonly environment: string | null
  readonly intentId: string | null
  /** Masked. `null`: none was sent. */
  readonly idempotencyKey: string | null
  readonly replayed: boolean
  /** Code of the problem in the response. */
  readonly problem: string | null
  /** Invalid fields as JSON Pointers: at most 20, and 500 characters. */
  readonly pointers: readonly string[]
  /** Number of invalid fields that `pointers` leaves out. */
  readonly pointersOmitted: number
}

/** How often an idempotency key was used since the service started. */
export interface KeyUse {
  /** Masked. */
  readonly key: string
  readonly intentId: string | null
  readonly requests: number
  readonly replays: number
  /** Requests rejected because the key was used with a different body. */
  readonly conflicts: number
  /** Requests rejected because the key's first request was still running. */
  readonly waits: number
  readonly lastAt: string
}

/** Names of the lint rules. */
export type LintRule =
  | 'no_idempotency_key'
  | 'key_reused'
  | 'polled_too_fast'
  | 'secret_key_in_browser'
  | 'secret_in_url'
  | 'unregistered_origin'

/** A lint rule that an integration broke, with its fix. */
export interface LintIssue {
  readonly rule: LintRule
  readonly title: string
  /** This case in one sentence. */
  readonly detail: string
  readonly fix: string
  /** The origin to register, if that is the fix. */
  readonly origin: string | null
  /** `null` if the request did not identify it. */
  readonly environment: string | null
  readonly intentId: string | null
  readonly count: number
  readonly requestId: string
  readonly firstAt: string
  readonly lastAt: string
}

/** What the sandbox can break. */
export type Fault =
  /** The intent is created, then the connection drops before the response. */
  | { readonly type: 'drop-after-commit' }
  /** The connection drops, and no intent is created. */
  | { readonly type: 'fail-before-commit' }
  | { readonly type: 'delay'; readonly ms: number }
  /** The key's first request stays unfinished for a while: others with the key wait. */
  | { readonly type: 'hold-key'; readonly ms: number }
  | { readonly type: '500' | '503' | '429' }
  /** The intent is created, and the response is cut in half. */
  | { readonly type: 'truncate-body' }
  /** The intent is created, and the response is not JSON. */
  | { readonly type: 'malformed-json' }

/** The names of all faults. */
export const faultNames =
  'drop-after-commit, fail-before-commit, delay=ms, hold-key=ms, 500, 503, 429, truncate-body, malformed-json'

/** The operations that a fault rule can break. */
export const faultOperations = ['create', 'retrieve'] as const
export type FaultOperation = (typeof faultOperations)[number]

/** A fault for the next requests of one operation. */
export interface FaultRule {
  readonly on: FaultOperation
  /** As in the header `Sandbox-Fault`: `drop-after-commit`, `delay=500`. */
  readonly do: string
  /** Number of requests that it still breaks. */
  readonly times: number
}

/** A fault rule of an environment. */
export interface StoredFaultRule extends FaultRule {
  readonly id: number
}
