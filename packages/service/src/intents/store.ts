/**
 * Payment Intents in the store: read with their deadlines applied, moved by compare-and-set.
 *
 * @module
 */
import type { Currency, Customer, Metadata } from '@pi-checkout/contract'
import { Fragment, type Queryable } from '../db/database.ts'
import type { Environment } from '../merchants/environments.ts'
import { due, type IntentState, type Transition } from './lifecycle.ts'

/** An intent as stored. Customer and metadata are the merchant's alone: no buyer's page shows them. */
export interface StoredIntent extends IntentState {
  readonly id: string
  readonly environmentId: string
  /** Grows by one with each transition: the lock of `moveIntent`. */
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

/** An intent as a retrieve needs it: without what its `clientSecret` is derived from. */
export type RetrievedIntent = Omit<StoredIntent, 'secretKid' | 'secretSalt'>

/** Which intent, and whose. */
export interface IntentKey {
  readonly environmentId: string
  readonly id: string
}

/**
 * Reads an intent of one environment as it stands now.
 *
 * @param now The environment's own time: a deadline that has passed is written before the answer.
 * @returns `undefined` for unknown and foreign alike.
 */
export async function findIntent(
  db: Queryable,
  { environmentId, id }: IntentKey,
  now: Date,
): Promise<StoredIntent | undefined> {
  // By id alone: in a new store the planner takes any index that fits, and another has whole environments.
  const [row] = await db.query<IntentRow>`
    select ${intentColumns} from payment_intents where id = ${id}`
  if (row?.environmentId !== environmentId) return undefined
  return await settleDue(db, intentOf(row), now)
}

/**
 * Writes a transition and its event, and closes the open attempt with it, unless another request
 * moved the intent first.
 *
 * `version` is the lock: of two racing confirmations exactly one gets the intent back.
 *
 * @returns The intent after the move, or `undefined` when `seen` is stale: load and decide again.
 */
export async function moveIntent(
  db: Queryable,
  seen: Pick<StoredIntent, 'id' | 'version'>,
  to: Transition,
): Promise<StoredIntent | undefined> {
  const failure = asJson(to.lastPaymentFailure)
  const attempt = attemptStates[to.status]
  const [row] = await db.query<IntentRow>`
    with moved as (
      update payment_intents
         set status = ${to.status}, version = version + 1,
             payment_method = ${asJson(to.paymentMethod)}::json,
             last_payment_failure = ${failure}::json,
             next_action = ${to.nextAction?.type ?? null},
             next_action_expires_at = ${to.nextAction?.expiresAt ?? null},
             provider_payment_id = ${to.providerPaymentId},
             settlement = ${asJson(to.settlement)}::json,
             confirms = ${to.confirms},
             finalized_at = ${to.finalizedAt}, updated_at = ${to.updatedAt}
       where id = ${seen.id} and version = ${seen.version}
      returning *
    ), logged as (
      insert into intent_events (intent_id, version, cause, status, created_at)
      select id, version, ${to.cause}, status, updated_at from moved
    ), closed as (
      update payment_attempts a
         set state = ${attempt}, updated_at = moved.updated_at,
             provider_payment_id = moved.provider_payment_id,
             failure = case when ${attempt} = 'failed' then moved.last_payment_failure end
        from moved
       where a.intent_id = moved.id and a.state in ('challenge', 'processing')
    )
    select ${intentColumns} from moved`
  if (!row) return undefined
  db.notify({ intentId: row.id, version: row.version })
  return intentOf(row)
}

/**
 * Applies every deadline that has passed, each with its own event.
 *
 * @returns The intent as it stands at `now`, or `undefined` when it was deleted meanwhile.
 */
export async function settleDue<Seen extends RetrievedIntent>(
  db: Queryable,
  intent: Seen,
  now: Date,
): Promise<Seen | StoredIntent | undefined> {
  const transition = due(intent, now)
  if (!transition) return intent
  const moved = await moveIntent(db, intent, transition)
  // Stale: somebody else moved it, so what is due must be decided anew.
  return moved ? await settleDue(db, moved, now) : await findIntent(db, intent, now)
}

/**
 * Revokes the `clientSecret` of an intent for good. It opens no checkout session, and open sessions
 * of the intent end with their next request.
 *
 * @param modes - Environments in which the intent may be.
 * @returns Whether there is such an intent.
 */
export async function revokeSecret(
  db: Queryable,
  { id, modes }: { readonly id: string; readonly modes: readonly Environment['mode'][] },
): Promise<boolean> {
  const revoked = await db.query`
    update payment_intents i set secret_salt = null
      from environments e
     where i.id = ${id} and e.id = i.environment_id and e.mode = any(${modes})
    returning i.id`
  return revoked.length > 0
}

/** What an open attempt becomes when its intent reaches a status. */
const attemptStates = {
  requires_payment_method: 'failed',
  requires_action: 'challenge',
  processing: 'processing',
  succeeded: 'succeeded',
  failed: 'failed',
  canceled: 'abandoned',
  expired: 'abandoned',
} as const satisfies Record<StoredIntent['status'], string>

/** The columns of a stored intent, for `intentOf`. */
export const intentColumns = new Fragment(`
  id, environment_id as "environmentId", status, version, amount, currency, order_id as "orderId",
  customer, metadata, payment_method as "paymentMethod",
  last_payment_failure as "lastPaymentFailure", next_action as "nextActionType",
  next_action_expires_at as "nextActionExpiresAt", provider_payment_id as "providerPaymentId",
  settlement, confirms, secret_salt as "secretSalt", secret_kid as "secretKid",
  expires_at as "expiresAt", finalized_at as "finalizedAt", created_at as "createdAt",
  updated_at as "updatedAt"`)

/** A row of `intentColumns`. */
export interface IntentRow extends Omit<StoredIntent, 'nextAction' | 'settlement'> {
  readonly nextActionType: 'challenge' | 'redirect' | null
  readonly nextActionExpiresAt: Date | null
  readonly settlement: { readonly at: string; readonly providerPaymentId: string } | null
}

/** Makes the intent of its row. */
export function intentOf(row: IntentRow): StoredIntent {
  const { nextActionType: type, nextActionExpiresAt: expiresAt, settlement, ...intent } = row
  return {
    ...intent,
    nextAction: type && expiresAt ? { type, expiresAt } : null,
    settlement: settlement && { ...settlement, at: new Date(settlement.at) },
  }
}

function asJson(value: object | null): string | null {
  return value && JSON.stringify(value)
}
