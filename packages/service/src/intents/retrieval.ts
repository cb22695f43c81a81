/**
 * Reads Payment Intents, many waiting requests in one statement and one value.
 *
 * @module
 */
import { batch, Failed } from '../db/batch.ts'
import { type Database, isOneRowsFault, readTime } from '../db/database.ts'
import type { NextStep } from './lifecycle.ts'
import type { IntentKey, RetrievedIntent, StoredIntent } from './store.ts'

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
        if (intent instanceof Failed) return intent
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
): Promise<ReadonlyMap<string, RetrievedIntent | Failed>> {
  // One text for all: read column by column the rows cost twice what they do this way, and as JSON half
  // as much again. No value holds a separator: ids have no control characters, and JSON escapes them.
  const [found] = await db.query<{ intents: string | null }>`
    select string_agg(concat_ws(chr(31),
             id, environment_id, status, version, amount, currency, order_id,
             coalesce(customer::text, ''), coalesce(metadata::text, ''),
             coalesce(payment_method::text, ''), coalesce(last_payment_failure::text, ''),
             coalesce(next_action, ''), coalesce(next_action_expires_at::text, ''),
             coalesce(provider_payment_id, ''), coalesce(settlement::text, ''), confirms,
             expires_at, coalesce(finalized_at::text, ''), created_at, updated_at), chr(30)) as intents
      from payment_intents
     where id = any(${ids})`
  const rows = found?.intents?.split('\x1e') ?? []
  return new Map(rows.map((row) => parsedRow(row.split('\x1f'))))
}

/** The statement names the columns: this is the parse boundary, as in `Queryable`. */
function parsedRow(columns: readonly string[]): readonly [id: string, RetrievedIntent | Failed] {
  const [id = ''] = columns
  if (isRow(columns)) return [id, retrieved(columns)]
  // Whoever wrote it went past every check of ours: it fails, and its neighbours do not.
  return [id, new Failed(new Error('The store holds an intent with a separator in it'))]
}

function isRow(columns: readonly string[]): columns is Columns {
  return columns.length === 20
}

/** In the order of the statement; an empty one is null. */
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
  nextActionType: NextStep['type'],
  nextActionExpiresAt: string,
  providerPaymentId: string,
  settlement: string,
  confirms: string,
  expiresAt: string,
  finalizedAt: string,
  createdAt: string,
  updatedAt: string,
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
  const settled = parsed(settlement)
  return {
    id,
    environmentId,
    status,
    version: Number(version),
    amount: Number(amount),
    currency,
    orderId,
    customer: parsed(customer),
    metadata: parsed(metadata),
    paymentMethod: parsed(paymentMethod),
    lastPaymentFailure: parsed(lastPaymentFailure),
    nextAction:
      nextActionExpiresAt === ''
        ? null
        : { type: nextActionType, expiresAt: readTime(nextActionExpiresAt) },
    providerPaymentId: providerPaymentId || null,
    settlement: settled && { ...settled, at: new Date(settled.at) },
    confirms: Number(confirms),
    expiresAt: readTime(expiresAt),
    finalizedAt: finalizedAt === '' ? null : readTime(finalizedAt),
    createdAt: readTime(createdAt),
    updatedAt: readTime(updatedAt),
  }
}

function parsed(json: string) {
  return json === '' ? null : JSON.parse(json)
}
