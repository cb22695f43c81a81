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

/**
 * State of a payment. `open`: it can be paid. `processing` and `unknown`: no result yet, or one that is not understood.
 * `failed`: it can never be paid. `paying`: it is the order's, and `onPaid` has not returned. `paid`: `onPaid` returned
 * true. `reviewing`: it pays for nothing, and `onReview` has not returned. `review`: `onReview` has returned. `refunded`:
 * the merchant returned the money.
 */
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

/** One Payment Intent of an order. It contains no secret. Times are RFC 3339 in UTC. */
export interface Payment {
  readonly intentId: string
  /** The order's version for which the intent was created. */
  readonly version: string
  /** 1 for the order's first intent. */
  readonly attempt: number
  /** Minor units. */
  readonly amount: number
  /** In upper case. */
  readonly currency: Currency
  readonly state: PaymentStatus
  /** Why it failed or is under review: `canceled`, `expired`, a decline code, a `ReviewReason`; `accepted` by the merchant. */
  readonly reason?: string | undefined
  readonly createdAt: string
  /** When it was last given to a page. */
  readonly handedAt: string
  /** Since when its hook is due, or another service has called it failed. */
  readonly since?: string | undefined
  /** No other process runs its hook until then. */
  readonly leaseUntil?: string | undefined
  /** The body of its create, while the same key returns this intent: a replay sends the same bytes. */
  readonly body?: CreateParams | undefined
}

/** The payments of one order. */
export interface PaymentRecord {
  /** Merchant and environment, as `PaymentIntents.scope()` returns it. A test payment never pays a live order. */
  readonly scope: string
  readonly orderId: string
  /** 1 for the first stored record. Each change raises it by one. */
  readonly revision: number
  /** When `reconcile()` looks at the order next; `null`: never. */
  readonly checkAt: Date | null
  /** In the order of their creation. */
  readonly payments: readonly Payment[]
}

/** What a store keeps of one order. `checkAt` is for `due`, and `text` has everything. */
export interface PaymentRow extends Omit<PaymentRecord, 'payments'> {
  readonly text: string
}

/**
 * Where the payments are stored: for each scope and order one text, which it returns as it was saved. See `sqlPayments()`
 * and `memoryPayments()`; `@pi-checkout/server/testing` exports the cases that a store must pass.
 */
export interface PaymentStore {
  /** Returns the stored text. It must include every completed `save`: don't read from a replica. */
  load(scope: string, orderId: string): Awaitable<string | undefined>
  /**
   * Stores the row if the stored revision is `row.revision - 1`; no stored row counts as 0. It is one atomic statement.
   *
   * @returns Whether it was stored.
   */
  save(row: PaymentRow): Awaitable<boolean>
  /** Returns up to `limit` order ids of a scope whose `checkAt` is not after `now`, the earliest first. */
  due(scope: string, now: Date, limit: number): Awaitable<readonly string[]>
}
