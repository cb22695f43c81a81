/** Reads intents of test environments, with events and confirmations. @module */
import type {
  Confirmation,
  IntentDetails,
  IntentEvent,
  IntentPage,
} from '../../shared/sandbox-api.ts'
import { Fragment, type Queryable } from '../db/database.ts'
import {
  type PackedRow,
  packedStoredIntent,
  readStoredIntent,
  type StoredIntent,
} from '../intents/intent-row.ts'
import { applyDeadlines, type StoreAndClock } from '../intents/intents.ts'
import { deadlineTransition } from '../intents/lifecycle.ts'
import { serializeIntent } from '../intents/serialize.ts'
import { type Environment, environmentNow, selectEnvironment } from '../merchants/environments.ts'

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

export interface IntentSearch {
  readonly environment: Environment
  /** Id of an intent. The page begins with the next older one. */
  readonly before: string | undefined
  /** Part of an id, order id, customer, card brand, or last four digits. `null` matches all. */
  readonly term: string | null
  readonly status: string | null
}

/** Position in a list of intents, which are in the order of their creation. */
interface Position {
  readonly createdAt: string
  readonly id: string
}

/**
 * Maximum of intents that a page examines, so that each page takes less than 50 ms. Not a parameter, because the planner
 * sorts all intents of an environment if it does not know the number.
 */
const examined = new Fragment(`2000`)

const pageLength = 200

/** Reads a page of intents, newest first. It can have few matches, or none, although older ones match. */
export async function newestIntents(
  { db, now }: StoreAndClock,
  { environment, before, term, status }: IntentSearch,
): Promise<IntentPage> {
  // Pages examine the newest intents first, and an id can be of an old one.
  const named = term === null ? undefined : await findIntentDetails({ db, now }, term)
  if (
    named?.environment === environment.id &&
    (status ?? named.intent.status) === named.intent.status
  ) {
    return { intents: [named.intent], next: null }
  }
  const [begin] =
    before === undefined
      ? [{ createdAt: 'infinity', id: '' }]
      : await db.query<Position>`
        select created_at::text as "createdAt", id from payment_intents where id = ${before}`
  if (!begin) return { intents: [], next: null }
  const [last, older] = await db.query<Position>`
    select created_at::text as "createdAt", id from payment_intents
     where environment_id = ${environment.id}
       and (created_at, id) < (${begin.createdAt}::timestamptz, ${begin.id})
     order by created_at desc, id desc limit 2 offset ${examined} - 1`
  const rows = await db.query<PackedRow & { readonly id: string }>`
    select id, ${packedStoredIntent} as packed from payment_intents
     where environment_id = ${environment.id}
       and (created_at, id) < (${begin.createdAt}::timestamptz, ${begin.id})
       and (created_at, id) >= (${last?.createdAt ?? '-infinity'}::timestamptz, ${last?.id ?? ''})
       and (${status}::text is null or status = ${status})
       and (${term}::text is null or position(lower(${term}) in ${searched}) > 0)
     order by created_at desc, id desc limit ${pageLength + 1}`
  const page = rows.slice(0, pageLength)
  const at = environmentNow(environment, now())
  const intents = page
    .map(({ packed }) => afterDeadlines(readStoredIntent(packed), at))
    .filter((intent) => status === null || intent.status === status)
  const end = rows.length > pageLength ? page.at(-1) : older && last
  return { intents: intents.map(serializeIntent), next: end?.id ?? null }
}

/** Returns an intent as passed deadlines change it. The reaper writes these changes. */
function afterDeadlines(intent: StoredIntent, at: Date): StoredIntent {
  const transition = deadlineTransition(intent, at)
  return transition ? afterDeadlines({ ...intent, ...transition }, at) : intent
}

/** Reads the intents after an id in pages, in the order of ids. */
export async function* allIntents(
  store: StoreAndClock,
  begin: string,
): AsyncGenerator<readonly ExportedIntent[]> {
  for (let after: string | undefined = begin; after !== undefined; ) {
    const from: string = after
    // Examine a part of the table, because most intents can be in live environments.
    const [end] = await store.db.query<{ id: string }>`
      select id from payment_intents where id > ${from} order by id limit 1 offset ${examined}`
    const page = await current(
      store,
      async () =>
        await store.db.query<DetailsRow>`
        select ${detailsColumns} from payment_intents i
         where id > ${from} and id <= ${end?.id ?? '~'} and ${inTestMode}
         order by id limit ${pageSize}`,
    )
    yield page.map(detailsOf)
    after = page.length === pageSize ? page.at(-1)?.id : end?.id
  }
}

const pageSize = 100

/** Reads rows, applies passed deadlines, and repeats until no deadline has passed. */
async function current(
  { db, now }: StoreAndClock,
  read: () => Promise<readonly DetailsRow[]>,
): Promise<readonly DetailsRow[]> {
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

interface DetailsRow extends PackedRow {
  readonly id: string
  readonly clockOffset: number
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

// One statement, so that an intent and its events are consistent.
const detailsColumns = new Fragment(`
  id, ${packedStoredIntent.text} as packed,
  (select clock_offset from environments e where e.id = i.environment_id) as "clockOffset",
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
