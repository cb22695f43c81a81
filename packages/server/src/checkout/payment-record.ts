/** What the helper stores about the payments of an order. @module */
import type { Currency } from '@pi-checkout/contract/money'
import type { Phase } from '@pi-checkout/contract/payment-status'
import type { CreateParams } from '../client/create-params.ts'

/** A value, or a promise of it. */
export type Awaitable<T> = T | Promise<T>

/** Why a payment is under review. */
export type ReviewReason =
  | 'duplicate'
  | 'earlier_version'
  | 'rejected'
  | 'mismatch'
  | 'order_not_found'

/** One Payment Intent of an order. It contains no secret. */
export interface Payment {
  readonly intentId: string
  /** The order's version for which the intent was created. */
  readonly version: string
  /** 1 for the order's first intent. A failed one raises it. */
  readonly attempt: number
  /** Minor units. */
  readonly amount: number
  readonly currency: Currency
  /** As the service last returned it. */
  readonly phase: Phase
  /**
   * What a paid payment means; `null` before it is paid. `pays`: it pays for the order. `review`: it pays for nothing, and
   * the merchant decides. `accepted` and `refunded`: the merchant decided.
   */
  readonly decision: 'pays' | 'review' | 'accepted' | 'refunded' | null
  /** Why it failed or is under review: `canceled`, `expired`, a decline code, or a `ReviewReason`. */
  readonly reason?: string | undefined
  /** Whether nothing is left to do: the payment failed, or its hook has returned. */
  readonly done: boolean
  /** RFC 3339 in UTC. */
  readonly createdAt: string
  /** When `reconcile()` retrieves it next; `null`: never. RFC 3339 in UTC. */
  readonly checkAt: string | null
  /** Number of checks since its last change. */
  readonly checks: number
  /** When it was first found open after 90 days. RFC 3339 in UTC. */
  readonly oldSince?: string | undefined
  /** No other process runs its hook until then. RFC 3339 in UTC. */
  readonly leaseUntil?: string | undefined
  /** The body of its create, until it is paid or failed: a replay sends the same bytes. */
  readonly body?: CreateParams | undefined
}

/** The payments of one order. */
export interface PaymentRecord {
  /** Service and environment, as `PaymentIntents.scope()` returns it. A test payment never pays a live order. */
  readonly scope: string
  readonly orderId: string
  /** 1 for the first stored record. Each change raises it by one. */
  readonly revision: number
  /** The earliest `checkAt` of its payments; `null`: nothing is left to do. */
  readonly checkAt: Date | null
  /** In the order of their creation. Store them as one JSON value. */
  readonly payments: readonly Payment[]
}

/**
 * Where the records are stored. See `sqlPayments()` and `memoryPayments()`; `@pi-checkout/server/testing` exports the
 * cases that a store must pass.
 */
export interface PaymentStore {
  /** Returns the stored record. It must include every completed `save`: don't read from a replica. */
  load(scope: string, orderId: string): Awaitable<PaymentRecord | undefined>
  /**
   * Stores the record if the stored revision is `record.revision - 1`; no stored record counts as 0. It is one atomic
   * statement.
   *
   * @returns Whether it was stored.
   */
  save(record: PaymentRecord): Awaitable<boolean>
  /** Returns up to `limit` order ids of a scope whose `checkAt` is not after `now`, the earliest first. */
  due(scope: string, now: Date, limit: number): Awaitable<readonly string[]>
}
