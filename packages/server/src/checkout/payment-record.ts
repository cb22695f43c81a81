/** What the helper stores about the payments of an order. @module */
import type { Currency } from '@pi-checkout/contract/money'
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

/** What is known of a payment, and what is left to do. See the guide `payments.md`. */
export type PaymentStatus =
  | 'open'
  | 'processing'
  | 'unknown'
  | 'failed'
  | 'paying'
  | 'paid'
  | 'reviewing'
  | 'review'
  | 'refunded'

/** One Payment Intent of an order. It contains no secret. */
export interface Payment {
  readonly intentId: string
  readonly version: string
  readonly attempt: number
  /** Minor units. */
  readonly amount: number
  readonly currency: Currency
  readonly state: PaymentStatus
  readonly reason?: string | undefined
  readonly createdAt: string
  readonly handedAt: string
  readonly since?: string | undefined
  readonly leaseUntil?: string | undefined
  readonly oldSince?: string | undefined
  readonly watchUntil?: string | undefined
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
