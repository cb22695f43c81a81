/**
 * Creates Payment Intents, at most one per environment and idempotency key.
 *
 * One autocommit statement inserts a batch, and a unique index rejects duplicates. The statement returns the
 * ids that it inserted. For the others a second statement reads the existing rows, because the first one does
 * not see rows that were committed after it began.
 *
 * @module
 */
import type { CreatePaymentIntent } from '@pi-checkout/contract'
import { batch, Failed } from '../db/batch.ts'
import type { Database, Queryable } from '../db/database.ts'
import { isLockConflict, isOneRowsFault } from '../db/errors.ts'
import type { SecretSource } from './client-secret.ts'
import type { IdempotencyHashes } from './idempotency.ts'
import {
  type PackedRow,
  packedStoredIntent,
  readStoredIntent,
  type StoredIntent,
} from './intent-row.ts'
import { lifetimes } from './lifetimes.ts'

/** The immutable part of an intent, from which the response to a create is built. */
export interface CreatedRecord extends SecretSource {
  readonly body: CreatePaymentIntent
  readonly createdAt: Date
}

export interface NewIntent extends CreatedRecord {
  readonly secretSalt: Buffer
  /** Hashes of the idempotency key and the body, if a key was sent. */
  readonly idempotency?: IdempotencyHashes
}

export type CreateResult =
  | { readonly type: 'created' }
  /** An earlier request with the same key and body created this intent. */
  | { readonly type: 'replayed'; readonly created: CreatedRecord }
  /** An earlier request used the key with another body. */
  | { readonly type: 'reused' }
  /** The first request with this key had not ended within the lock timeout. */
  | { readonly type: 'in_use' }

/** Returns the function that creates intents. Create one for each database, so that requests share batches. */
export function createBatch(db: Database): (draft: NewIntent) => Promise<CreateResult> {
  return batch({
    run: async (drafts) => {
      const others = await create(db, drafts)
      return drafts.map(({ id }) => others.get(id) ?? { type: 'created' })
    },
    // Another instance may have locked one of the keys.
    separable: (error) => isOneRowsFault(error) || isLockConflict(error),
    resultOf: ({ idempotency }, error) =>
      idempotency && isLockConflict(error) ? { type: 'in_use' } : undefined,
    kind: db.kind,
  })
}

/** @returns The outcome of each draft that it did not insert. */
async function create(db: Queryable, drafts: readonly NewIntent[]): Promise<Outcomes> {
  const created = await insert(db, drafts)
  const losers = drafts.filter(({ id }) => !created.has(id))
  if (losers.length === 0) return new Map()
  // The inserted rows are committed, so a later error affects only the other ones.
  return await readWinners(db, losers).catch((error: unknown) => failed(losers, error))
}

type Outcome = CreateResult | Failed

type Outcomes = ReadonlyMap<string, Outcome>

function failed(drafts: readonly NewIntent[], error: unknown): Outcomes {
  return new Map(drafts.map(({ id }) => [id, new Failed(error)]))
}

async function insert(db: Queryable, drafts: readonly NewIntent[]): Promise<ReadonlySet<string>> {
  // PostgreSQL reads one array for each column in half the time of a JSON text. All instances insert, and so lock, keys
  // in the same order. Otherwise two batches could deadlock.
  const rows = await db.query<{ id: string }>`
    insert into payment_intents (
      id, environment_id, amount, currency, order_id, customer, metadata, secret_salt, secret_kid,
      idempotency_hash, idempotency_fingerprint, idempotency_expires_at,
      expires_at, created_at, updated_at)
    select id, environment, amount, currency, "orderId", customer, metadata, salt, kid,
           hash, fingerprint,
           case when hash is not null
             then to_timestamp((created + ${lifetimes.idempotencyKey}) / 1000) end,
           to_timestamp((created + ${lifetimes.intent}) / 1000),
           to_timestamp(created / 1000), to_timestamp(created / 1000)
      from unnest(
        ${drafts.map(({ id }) => id)}::text[],
        ${drafts.map(({ environmentId }) => environmentId)}::text[],
        ${drafts.map(({ body }) => body.amount)}::bigint[],
        ${drafts.map(({ body }) => body.currency)}::text[],
        ${drafts.map(({ body }) => body.orderId)}::text[],
        ${drafts.map(({ body }) => asJson(body.customer))}::json[],
        ${drafts.map(({ body }) => asJson(body.metadata))}::json[],
        ${drafts.map(({ secretSalt }) => secretSalt)}::bytea[],
        ${drafts.map(({ secretKid }) => secretKid)}::text[],
        ${drafts.map(({ idempotency }) => asBytea(idempotency?.hash))}::bytea[],
        ${drafts.map(({ idempotency }) => asBytea(idempotency?.fingerprint))}::bytea[],
        ${drafts.map(({ createdAt }) => createdAt.getTime())}::float8[]
      ) as draft (
        id, environment, amount, currency, "orderId", customer, metadata, salt, kid,
        hash, fingerprint, created)
     order by hash, environment
    on conflict (environment_id, idempotency_hash) do nothing
    returning id`
  return new Set(rows.map(({ id }) => id))
}

interface Winner {
  readonly loser: string
  readonly same: boolean
  readonly expired: boolean
  readonly intent: StoredIntent
}

async function readWinners(db: Queryable, losers: readonly NewIntent[]): Promise<Outcomes> {
  // Select by hash alone, for the reason in `findIntent`.
  const found = await db.query<Omit<Winner, 'intent'> & PackedRow>`
    select loser, idempotency_fingerprint = loser_fingerprint as same,
           idempotency_expires_at <= to_timestamp(loser_created / 1000) as expired,
           ${packedStoredIntent} as packed
      from unnest(
        ${losers.map(({ id }) => id)}::text[],
        ${losers.map(({ idempotency }) => asBytea(idempotency?.hash))}::bytea[],
        ${losers.map(({ idempotency }) => asBytea(idempotency?.fingerprint))}::bytea[],
        ${losers.map(({ createdAt }) => createdAt.getTime())}::float8[]
      ) as losers (loser, loser_hash, loser_fingerprint, loser_created)
      join payment_intents on idempotency_hash = loser_hash`
  const environments = new Map(losers.map(({ id, environmentId }) => [id, environmentId]))
  const rows = found
    .map(({ packed, ...row }) => ({ ...row, intent: readStoredIntent(packed) }))
    .filter(({ loser, intent }) => environments.get(loser) === intent.environmentId)
  const outcomes = new Map<string, Outcome>()
  for (const row of rows) {
    if (!row.expired) outcomes.set(row.loser, outcomeOf(row))
  }
  const free = losers.filter(({ id }) => !outcomes.has(id))
  if (free.length === 0) return outcomes
  // The keys of the others have expired or were released since the insert, so insert them again.
  const expired = rows.filter((row) => row.expired)
  const again = await createAgain(db, free, expired).catch((error: unknown) => failed(free, error))
  return new Map([...outcomes, ...again])
}

async function createAgain(
  db: Queryable,
  drafts: readonly NewIntent[],
  expired: readonly Winner[],
): Promise<Outcomes> {
  const ids = expired.map(({ intent }) => intent.id)
  await db.query`
    update payment_intents
       set idempotency_hash = null, idempotency_fingerprint = null, idempotency_expires_at = null
     where id = any(${ids})`
  return await create(db, drafts)
}

function outcomeOf({ loser, same, intent }: Winner): CreateResult {
  // The insert was committed but its result was lost, so the repeated insert finds its own row.
  if (intent.id === loser) return { type: 'created' }
  if (!same) return { type: 'reused' }
  const { amount, currency, orderId, customer, metadata } = intent
  const optional = { ...(customer && { customer }), ...(metadata && { metadata }) }
  const body = { amount, currency, orderId, ...optional }
  return { type: 'replayed', created: { ...intent, body } }
}

/** Returns `bytea` in hex format. @see https://www.postgresql.org/docs/15/datatype-binary.html */
function asBytea(hex: string | undefined): string | null {
  return hex === undefined ? null : `\\x${hex}`
}

function asJson(value: object | undefined): string | null {
  return value ? JSON.stringify(value) : null
}
