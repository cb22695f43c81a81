/**
 * Reads Payment Intents, many waiting requests in one statement and one value.
 *
 * @module
 */
import { batch } from '../db/batch.ts'
import { type Database, isOneRowsFault } from '../db/database.ts'
import type { IntentKey, IntentRow, RetrievedIntent, StoredIntent } from './store.ts'

/**
 * Returns the function that reads an intent of one environment, without applying deadlines.
 *
 * Unknown and foreign cost the same one look-up and give the same `undefined`.
 */
export function retrievals(db: Database): (key: IntentKey) => Promise<RetrievedIntent | undefined> {
  return batch({
    run: async (keys) => {
      const found = await read(
        db,
        keys.map(({ id }) => id),
      )
      return keys.map(({ id, environmentId }) => {
        const intent = found.get(id)
        return intent?.environmentId === environmentId ? intent : undefined
      })
    },
    separable: isOneRowsFault,
    kind: db.kind,
  })
}

/** By id alone, for the planner must have no other index to take: the caller looks whose they are. */
async function read(
  db: Database,
  ids: readonly string[],
): Promise<ReadonlyMap<string, RetrievedIntent>> {
  // One JSON text for all: read column by column, the rows cost twice what they do this way.
  const [row] = await db.query<{ intents: readonly Columns[] | null }>`
    select json_agg(json_build_array(
             id, environment_id, status, version, amount, currency, order_id, customer, metadata,
             payment_method, last_payment_failure, next_action,
             date_part('epoch', next_action_expires_at), provider_payment_id, settlement, confirms,
             date_part('epoch', expires_at), date_part('epoch', finalized_at),
             date_part('epoch', created_at), date_part('epoch', updated_at))) as intents
      from payment_intents
     where id = any(${ids})`
  return new Map((row?.intents ?? []).map((columns) => [columns[0], retrieved(columns)]))
}

/** In the order of the statement; times in seconds. */
type Columns = readonly [
  id: string,
  environmentId: string,
  status: StoredIntent['status'],
  version: number,
  amount: number,
  currency: StoredIntent['currency'],
  orderId: string,
  customer: StoredIntent['customer'],
  metadata: StoredIntent['metadata'],
  paymentMethod: StoredIntent['paymentMethod'],
  lastPaymentFailure: StoredIntent['lastPaymentFailure'],
  nextActionType: IntentRow['nextActionType'],
  nextActionExpiresAt: number | null,
  providerPaymentId: string | null,
  settlement: IntentRow['settlement'],
  confirms: number,
  expiresAt: number,
  finalizedAt: number | null,
  createdAt: number,
  updatedAt: number,
]

function retrieved([
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
  return {
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
    nextAction:
      nextActionType === null || nextActionExpiresAt === null
        ? null
        : { type: nextActionType, expiresAt: timeOf(nextActionExpiresAt) },
    providerPaymentId,
    settlement: settlement && { ...settlement, at: new Date(settlement.at) },
    confirms,
    expiresAt: timeOf(expiresAt),
    finalizedAt: finalizedAt === null ? null : timeOf(finalizedAt),
    createdAt: timeOf(createdAt),
    updatedAt: timeOf(updatedAt),
  }
}

// Times are whole milliseconds; as seconds in a double they are not quite.
function timeOf(seconds: number): Date {
  return new Date(Math.round(seconds * 1000))
}
