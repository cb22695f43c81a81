/**
 * Reads an intent from one text. Separate columns take twice the time. No value contains a separator, because
 * ids have no control characters and JSON escapes them.
 *
 * @module
 */
import type { Currency, Customer, Metadata } from '@pi-checkout/contract'
import { Fragment, readTime } from '../db/database.ts'
import type { IntentState, PendingChallenge } from './lifecycle.ts'

/** An intent as stored. Customer and metadata are for the merchant, and no checkout page shows them. */
export interface StoredIntent extends IntentState {
  readonly id: string
  readonly environmentId: string
  /** Number that increases by one with each transition. `moveIntent` compares it. */
  readonly version: number
  readonly amount: number
  readonly currency: Currency
  readonly orderId: string
  readonly customer: Customer | null
  readonly metadata: Metadata | null
  readonly secretKid: string
  readonly secretSalt: Buffer | null
  readonly createdAt: Date
}

/** An intent for a retrieve, without the source of its `clientSecret`. */
export type RetrievedIntent = Omit<StoredIntent, 'secretKid' | 'secretSalt'>

export interface IntentKey {
  readonly environmentId: string
  readonly id: string
}

export interface PackedRow {
  readonly packed: string
}

const retrieved = `
  id, environment_id, status, version, amount, currency, order_id,
  coalesce(customer::text, ''), coalesce(metadata::text, ''),
  coalesce(payment_method::text, ''), coalesce(last_payment_failure::text, ''),
  coalesce(next_action, ''), coalesce(next_action_expires_at::text, ''),
  coalesce(provider_payment_id, ''), coalesce(settlement::text, ''), confirms,
  expires_at, coalesce(finalized_at::text, ''), created_at, updated_at`

/**
 * Empty text. If a synchronous standby is configured, the transaction of a read ends only when the standby has all
 * that the read saw, because the message is written after it. A row can be visible before the standby has it: when
 * the primary restarts, or ends the connection that waits for the standby.
 */
const replicated = `case when current_setting('synchronous_standby_names') = '' then ''
  else left(pg_logical_emit_message(true, 'pi-checkout', 'read')::text, 0) end`

/** SQL expression of an intent without its secret, for `readIntent`. */
export const packedIntent = new Fragment(`concat_ws(chr(31), ${retrieved}) || ${replicated}`)

/** SQL expression of a complete intent, for `readStoredIntent`. */
export const packedStoredIntent = new Fragment(
  `concat_ws(chr(31), ${retrieved}, secret_kid, coalesce(encode(secret_salt, 'hex'), '')) || ${replicated}`,
)

/** Reads the text of `packedIntent`. @throws {Error} If a value contains a separator. */
export function readIntent(text: string): RetrievedIntent {
  return intentOf(columnsOf(text, 20))
}

/** Reads the text of `packedStoredIntent`. @throws {Error} If a value contains a separator. */
export function readStoredIntent(text: string): StoredIntent {
  const columns = columnsOf(text, 22)
  const [secretKid, salt] = columns.slice(20) as [string, string]
  return { ...intentOf(columns), secretKid, secretSalt: salt ? Buffer.from(salt, 'hex') : null }
}

/** Splits the columns. Their types follow from the statement, as in `Queryable`. */
function columnsOf(text: string, count: number): Columns {
  const columns = text.split('\x1f')
  if (columns.length === count) return columns as readonly string[] as Columns
  throw new Error('The store contains an intent with a separator in it')
}

/** Columns in the order of the statement. An empty text is `null`. */
type Columns = readonly [
  id: string,
  environmentId: string,
  status: StoredIntent['status'],
  version: string,
  amount: string,
  currency: StoredIntent['currency'],
  orderId: string,
  customer: string,
  metadata: string,
  paymentMethod: string,
  lastPaymentFailure: string,
  nextActionType: PendingChallenge['type'],
  nextActionExpiresAt: string,
  providerPaymentId: string,
  settlement: string,
  confirms: string,
  expiresAt: string,
  finalizedAt: string,
  createdAt: string,
  updatedAt: string,
]

function intentOf([
  id,
  environmentId,
  status,
  version,
  amount,
  currency,
  orderId,
  customer,
  metadata,
  paymentMethod,
  lastPaymentFailure,
  nextActionType,
  nextActionExpiresAt,
  providerPaymentId,
  settlement,
  confirms,
  expiresAt,
  finalizedAt,
  createdAt,
  updatedAt,
]: Columns): RetrievedIntent {
  const scheduled = parseJson(settlement)
  return {
    id,
    environmentId,
    status,
    version: Number(version),
    amount: Number(amount),
    currency,
    orderId,
    customer: parseJson(customer),
    metadata: parseJson(metadata),
    paymentMethod: parseJson(paymentMethod),
    lastPaymentFailure: parseJson(lastPaymentFailure),
    nextAction:
      nextActionExpiresAt === ''
        ? null
        : { type: nextActionType, expiresAt: readTime(nextActionExpiresAt) },
    providerPaymentId: providerPaymentId || null,
    settlement: scheduled && { ...scheduled, at: new Date(scheduled.at) },
    confirms: Number(confirms),
    expiresAt: readTime(expiresAt),
    finalizedAt: finalizedAt === '' ? null : readTime(finalizedAt),
    createdAt: readTime(createdAt),
    updatedAt: readTime(updatedAt),
  }
}

function parseJson(json: string) {
  return json === '' ? null : JSON.parse(json)
}
