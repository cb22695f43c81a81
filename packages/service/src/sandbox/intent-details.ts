/**
 * Reads intents of test environments for developers, with events and confirmations, after applying passed
 * deadlines.
 *
 * @module
 */
import type {
  Confirmation,
  IntentDetails,
  IntentEvent,
  IntentPage,
} from '../../shared/sandbox-api.ts'
import { Fragment, type Queryable } from '../db/database.ts'
import { packedStoredIntent, readStoredIntent } from '../intents/intent-row.ts'
import { applyDeadlines, type PackedRow, type StoreAndClock } from '../intents/intents.ts'
import { deadlineTransition } from '../intents/lifecycle.ts'
import { serializeIntent } from '../intents/serialize.ts'
import { type Environment, environmentNow, selectEnvironment } from '../merchants/environments.ts'

/** An intent in an export. */
export interface ExportedIntent extends IntentDetails {
  /** Source of the `clientSecret`. `salt` is base64url, or `null` if the secret was revoked. */
  readonly secret: { readonly kid: string; readonly salt: string | null }
  /** Keyed hashes as base64url. Their salt is not exported. */
  readonly idempotency: {
    readonly hash: string
    readonly fingerprint: string
    readonly expiresAt: string
  } | null
}

/** Reads the test environments, oldest first. */
export async function testEnvironments(db: Queryable): Promise<Environment[]> {
  return await db.query<Environment>`
    ${selectEnvironment}
     where e.mode = 'test' order by e.created_at, e.id`
}

/** Reads an intent. Returns `undefined` if no test environment has it. */
export async function findIntentDetails(
  store: StoreAndClock,
  id: string,
): Promise<ExportedIntent | undefined> {
  const read = async () =>
    await store.db.query<DetailsRow>`
    select ${detailsColumns} from payment_intents i
     where id = ${id} and ${inTestMode}`
  const [row] = await current(store, read)
  return row && detailsOf(row)
}

/** Filter of a list of intents. */
export interface IntentSearch {
  /** Part of an id, order id, customer, card brand, or last four digits. `null` matches all. */
  readonly term: string | null
  readonly status: string | null
}

/**
 * Reads a page of intents, newest first.
 *
 * @param page - `before` is the id of an intent. The page begins with the next older one.
 */
export async function newestIntents(
  store: StoreAndClock,
  {
    environmentId,
    before,
    count,
    search: { term, status },
  }: {
    readonly environmentId: string
    readonly before: string | undefined
    readonly count: number
    readonly search: IntentSearch
  },
): Promise<IntentPage> {
  const { db } = store
  const read = async (): Promise<DueRow[]> =>
    before === undefined
      ? await db.query<DueRow>`
        select ${listColumns} from payment_intents i
         where environment_id = ${environmentId} and ${inTestMode}
           and (${status}::text is null or status = ${status})
           and (${term}::text is null or position(lower(${term}) in ${searched}) > 0)
         order by created_at desc, id desc limit ${count + 1}`
      : await db.query<DueRow>`
        select ${listColumns} from payment_intents i
         where environment_id = ${environmentId} and ${inTestMode}
           and (${status}::text is null or status = ${status})
           and (${term}::text is null or position(lower(${term}) in ${searched}) > 0)
           and created_at <= (select created_at from payment_intents where id = ${before})
           and (created_at, id) < (select created_at, id from payment_intents where id = ${before})
         order by created_at desc, id desc limit ${count + 1}`
  const rows = await current(store, read)
  const intents = rows.slice(0, count).map((row) => serializeIntent(readStoredIntent(row.packed)))
  return { intents, older: rows.length > count }
}

/** Reads the intents after an id in pages, in the order of ids. */
export async function* allIntents(
  store: StoreAndClock,
  begin: string,
): AsyncGenerator<readonly ExportedIntent[]> {
  let after = begin
  for (;;) {
    const page = await current(
      store,
      async () =>
        await store.db.query<DetailsRow>`
        select ${detailsColumns} from payment_intents i
         where id > ${after} and ${inTestMode} order by id limit ${pageSize}`,
    )
    yield page.map(detailsOf)
    const last = page.at(-1)
    if (!last || page.length < pageSize) return
    after = last.id
  }
}

const pageSize = 500

/** Reads rows, applies passed deadlines, and repeats until no deadline has passed. */
async function current<Row extends DueRow>(
  { db, now }: StoreAndClock,
  read: () => Promise<readonly Row[]>,
): Promise<readonly Row[]> {
  for (;;) {
    const rows = await read()
    const overdue = rows.flatMap((row) => {
      const intent = readStoredIntent(row.packed)
      const at = environmentNow({ clockOffset: row.clockOffset }, now())
      return deadlineTransition(intent, at) ? [{ intent, at }] : []
    })
    if (overdue.length === 0) return rows
    for (const { intent, at } of overdue) await applyDeadlines(db, intent, at)
  }
}

interface DueRow extends PackedRow {
  readonly id: string
  readonly clockOffset: number
}

interface DetailsRow extends DueRow {
  readonly idempotencyHash: Buffer | null
  readonly idempotencyFingerprint: Buffer | null
  readonly idempotencyExpiresAt: Date | null
  readonly events: readonly IntentEvent[]
  readonly attempts: readonly Confirmation[]
}

const inTestMode = new Fragment(`
  environment_id in (select id from environments where mode = 'test')`)

// The default collation, because `lower` changes only ASCII letters in the collation of ids.
const searched = new Fragment(`
  lower(concat_ws(' ', id, order_id, customer->>'id', customer->>'email', customer->>'name',
                  payment_method->'card'->>'brand', payment_method->'card'->>'last4')
        collate "default")`)

const listColumns = new Fragment(`
  id, ${packedStoredIntent.text} as packed,
  (select clock_offset from environments e where e.id = i.environment_id) as "clockOffset"`)

// One statement, so that an intent and its events are consistent.
const detailsColumns = new Fragment(`
  ${listColumns.text},
  idempotency_hash as "idempotencyHash", idempotency_fingerprint as "idempotencyFingerprint",
  idempotency_expires_at as "idempotencyExpiresAt",
  (select coalesce(json_agg(json_build_object(
            'version', e.version, 'cause', e.cause, 'status', e.status, 'createdAt', e.created_at)
            order by e.version), '[]')
     from intent_events e where e.intent_id = i.id) as events,
  (select coalesce(json_agg(json_build_object(
            'attemptId', a.attempt_id, 'state', a.state, 'paymentMethod', a.payment_method,
            'outcome', a.outcome, 'failure', a.failure,
            'providerPaymentId', a.provider_payment_id, 'createdAt', a.created_at,
            'updatedAt', a.updated_at) order by a.created_at, a.attempt_id), '[]')
     from payment_attempts a where a.intent_id = i.id) as attempts`)

function detailsOf(row: DetailsRow): ExportedIntent {
  const intent = readStoredIntent(row.packed)
  const { settlement } = intent
  const { idempotencyHash, idempotencyFingerprint, idempotencyExpiresAt } = row
  return {
    intent: serializeIntent(intent),
    environment: intent.environmentId,
    version: intent.version,
    confirms: intent.confirms,
    expiresAt: intent.expiresAt.toISOString(),
    finalizedAt: intent.finalizedAt?.toISOString() ?? null,
    settlement: settlement && { ...settlement, at: settlement.at.toISOString() },
    events: row.events.map((event) => ({ ...event, createdAt: utc(event.createdAt) })),
    attempts: row.attempts.map((attempt) => ({
      ...attempt,
      createdAt: utc(attempt.createdAt),
      updatedAt: utc(attempt.updatedAt),
    })),
    secret: { kid: intent.secretKid, salt: intent.secretSalt?.toString('base64url') ?? null },
    idempotency:
      idempotencyHash && idempotencyFingerprint && idempotencyExpiresAt
        ? {
            hash: idempotencyHash.toString('base64url'),
            fingerprint: idempotencyFingerprint.toString('base64url'),
            expiresAt: idempotencyExpiresAt.toISOString(),
          }
        : null,
  }
}

// Times in JSON from PostgreSQL have another format.
function utc(time: string): string {
  return new Date(time).toISOString()
}
