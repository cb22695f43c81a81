/**
 * What is noted of a request and its answer, before anybody decides what of it may be shown.
 *
 * @module
 */
import type { RouteName } from '../../shared/sandbox-api.ts'

/** The facts of an exchange, before any of them may be shown. */
export interface Note {
  readonly number: number
  readonly at: Date
  readonly ms: number
  readonly method: string
  /** Without query; no credential is in it, and no id that may be of a live intent. */
  readonly path: string
  readonly status: number
  readonly requestId: string
  readonly operation: RouteName
  readonly environment: string | null
  readonly intentId: string | null
  /** As sent, so that it can be looked for; it is shown masked. At most 255 characters. */
  readonly idempotencyKey: string | undefined
  readonly replayed: boolean
  /** Code of the problem that the answer was. */
  readonly problem: string | undefined
  /** Fields that it refused, as JSON Pointers: the first ones, cut to a bounded size. */
  readonly pointers: readonly string[]
  /** How many more it refused. */
  readonly pointersOmitted: number
  /** It came with headers that only a browser sends, and with a key or the wish to send one. */
  readonly keyFromBrowser: boolean
  /** The address carried a credential. */
  readonly secretInUrl: boolean
  /** Origin of the page that a hosted page was asked for by. */
  readonly origin: string | undefined
}
