/** How a service fills the gaps of the specification, and how `@pi-checkout/service` does. @module */
import { headers } from './routes.ts'

/** A field that the specification names by its role only. @see Payment Intents specification, §2.1 */
export type RoleField =
  | 'status'
  | 'paymentMethod'
  | 'lastPaymentFailure'
  | 'nextAction'
  | 'providerPaymentId'
  | 'createdAt'
  | 'updatedAt'

/** Group of statuses that a merchant treats alike. */
export type Phase = 'open' | 'processing' | 'paid' | 'failed' | 'unknown'

/** An error response that has a meaning. */
export interface ErrorMatch {
  /** HTTP status. */
  readonly status: number
  /**
   * Code in the body.
   * @default Any
   */
  readonly code?: string | undefined
}

/** What the specification leaves open, as one service does it. JSON can hold it. */
export interface Profile {
  /** Name of each role field in a response; `null` if the service has no such field. */
  readonly fields: Readonly<Record<RoleField, string | null>>
  /**
   * Unit of timestamps that are numbers since 1970.
   * @default None: they are text
   */
  readonly timestamps?: 'seconds' | 'milliseconds' | undefined
  /** Phase of each status. One that is not listed is `unknown`, never paid. */
  readonly statuses: Readonly<Record<string, Exclude<Phase, 'unknown'>>>
  /** Header of the response to a repeated create; `null` if the service does not say that it is repeated. */
  readonly replayHeader: string | null
  readonly errors: {
    /** JSON Pointer (RFC 6901) to the code in an error body; `null` if errors have no code. */
    readonly code: string | null
    /** The response for an intent that does not exist, or belongs to another merchant. */
    readonly unknownIntent: ErrorMatch
    /** The response to a key that was used with another body; `null` if the service has none. */
    readonly keyReused: ErrorMatch | null
    /** Responses after which the same request may succeed, besides 408, 425, 429, and 5xx. */
    readonly transient: readonly ErrorMatch[]
  }
}

/** The value of the header `Payment-Intents-Profile`, and of `profile`, for `ownProfile`. */
export const ownProfileName = 'pi-checkout'

/** The profile of `@pi-checkout/service`. */
export const ownProfile = {
  fields: {
    status: 'status',
    paymentMethod: 'paymentMethod',
    lastPaymentFailure: 'lastPaymentFailure',
    nextAction: 'nextAction',
    providerPaymentId: 'providerPaymentId',
    createdAt: 'createdAt',
    updatedAt: 'updatedAt',
  },
  statuses: {
    requires_payment_method: 'open',
    requires_action: 'open',
    processing: 'processing',
    succeeded: 'paid',
    failed: 'failed',
    canceled: 'failed',
    expired: 'failed',
  },
  replayHeader: headers.idempotentReplayed,
  errors: {
    code: '/code',
    unknownIntent: { status: 404, code: 'payment_intent_not_found' },
    keyReused: { status: 422, code: 'idempotency_key_reused' },
    transient: [{ status: 409, code: 'idempotency_key_in_use' }],
  },
} as const satisfies Profile

/** A status of `@pi-checkout/service`. The last four are final. */
export type PaymentIntentStatus = keyof typeof ownProfile.statuses

/** Statuses of a Payment Intent. The last four are final. */
export const paymentIntentStatuses = Object.keys(ownProfile.statuses) as PaymentIntentStatus[]

export function phaseIn({ statuses }: Pick<Profile, 'statuses'>, status: unknown): Phase {
  // An object also has names that are not its own, such as 'constructor'.
  return typeof status === 'string' && Object.hasOwn(statuses, status)
    ? (statuses[status] ?? 'unknown')
    : 'unknown'
}

/**
 * Returns the phase of a status.
 *
 * @param status - `status` of a Payment Intent, as `retrieve()` returned it.
 * @returns `unknown`, never `paid`, for a status that this version does not support.
 * @example
 * phaseOf('succeeded') // 'paid'
 */
export function phaseOf(status: string): Phase {
  return phaseIn(ownProfile, status)
}

export function isFinal(status: string): boolean {
  return ['paid', 'failed'].includes(phaseOf(status))
}

/** A status of ours for each phase. */
const statusOf = {
  open: 'requires_payment_method',
  processing: 'processing',
  paid: 'succeeded',
  failed: 'failed',
  unknown: 'unknown',
} as const satisfies Record<Phase, PaymentIntentStatus | 'unknown'>

/**
 * Returns a response with the names and the statuses of `@pi-checkout/service`.
 *
 * @param profile - `undefined` for an unknown service: it has none of the role fields, and no status means paid.
 * @returns Other fields as they are. What is no object stays as it is.
 */
export function translate(intent: unknown, profile: Profile | undefined): unknown {
  if (profile === ownProfile || typeof intent !== 'object' || intent === null) return intent
  if (Array.isArray(intent)) return intent
  const received = new Map(Object.entries(intent))
  const translated: Record<string, unknown> = { ...intent }
  for (const role of Object.keys(ownProfile.fields) as RoleField[]) {
    const name = profile?.fields[role] ?? undefined
    const value = name === undefined ? null : (received.get(name) ?? null)
    translated[role] = role.endsWith('At') ? timeOf(value, profile) : value
  }
  const { status } = translated
  const phase = profile ? phaseIn(profile, status) : 'unknown'
  // A status that means the same to us keeps its name, such as `expired`.
  const isOurs = typeof status === 'string' && phaseOf(status) === phase
  translated.status = isOurs && phase !== 'unknown' ? status : statusOf[phase]
  return translated
}

/** Returns a time as text. A number without a unit stays a number, which no schema accepts. */
function timeOf(value: unknown, profile: Profile | undefined): unknown {
  if (typeof value !== 'number' || profile?.timestamps === undefined) return value
  const date = new Date(profile.timestamps === 'seconds' ? value * 1000 : value)
  return Number.isNaN(Number(date)) ? null : date.toISOString()
}
