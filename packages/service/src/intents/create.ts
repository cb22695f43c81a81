/**
 * Stores new intents, at most one per environment and idempotency key.
 *
 * One statement inserts a batch, and a unique index rejects duplicates. A second statement reads the rows of the
 * rejected keys, because the first one does not see rows that were committed after it began.
 *
 * @module
 */
import type { CreatePaymentIntent } from '@pi-checkout/contract'
import { batch, Failed } from '../db/batch.ts'
import type { Database } from '../db/database.ts'
import { hasNoEnvironment, isLockConflict, isOneRowsFault } from '../db/errors.ts'
import { newIntentId, randomSalt } from '../ids.ts'
import { columns, replicated } from './columns.ts'
import { dueAt } from './deadlines.ts'
import type { IdempotencyHashes } from './idempotency.ts'
import type { Intent } from './intent.ts'
import { lifetimes } from './lifetimes.ts'

export interface Draft {
  readonly intent: Intent
  /** Hashes of the idempotency key and the body, if a key was sent. */
  readonly key?: IdempotencyHashes | undefined
}

export type Created =
  | { readonly type: 'created'; readonly intent: Intent }
  /** An earlier request with the same key and body created this intent. */
  | { readonly type: 'replayed'; readonly intent: Intent }
  /** An earlier request used the key with another body. */
  | { readonly type: 'reused' }
  /** The first request with this key had not ended within the lock timeout. */
  | { readonly type: 'in_use' }
  /** The environment was deleted, with its API keys, before the intent was stored. */
  | { readonly type: 'no_environment' }

/** Returns an intent that is not stored yet. */
export function draftIntent({
  environmentId,
  secretKid,
  body,
  createdAt,
}: Pick<Intent, 'environmentId' | 'secretKid' | 'createdAt'> & {
  readonly body: CreatePaymentIntent
}): Intent {
  return {
    id: newIntentId(),
    environmentId,
    revision: 1,
    version: 1,
    status: 'requires_payment_method',
    amount: body.amount,
    currency: body.currency,
    orderId: body.orderId,
    customer: body.customer ?? null,
    metadata: body.metadata ?? null,
    secretKid,
    secretSalt: randomSalt(16),
    state: null,
    finalizedAt: null,
    createdAt,
  }
}

/** Returns the function that stores drafts. Concurrent creates share a statement. */
export function createBatch(db: Database): (draft: Draft) => Promise<Created> {
  return batch({
    run: async (drafts) => {
      const others = await createAll(db, drafts)
      return drafts.map(
        ({ intent }) => others.get(intent.id) ?? ({ type: 'created', intent } as const),
      )
    },
    // Another instance may have locked one of the keys.
    separable: (error) => isOneRowsFault(error) || isLockConflict(error),
    commits: true,
    resultOf: ({ key }, error) => {
      if (hasNoEnvironment(error)) return { type: 'no_environment' }
      return key && isLockConflict(error) ? { type: 'in_use' } : undefined
    },
    kind: db.kind,
  })
}

/** Outcomes by the ids of drafts. */
type Outcomes = ReadonlyMap<string, Created | Failed>

/** Returns the outcome of each draft that it did not insert. */
async function createAll(db: Database, drafts: readonly Draft[]): Promise<Outcomes> {
  const inserted = await insert(db, drafts)
  const losers = drafts.filter(({ intent }) => !inserted.has(intent.id))
  if (losers.length === 0) return new Map()
  // The inserted rows are committed, so a later error affects only the other ones.
  return await outcomesOf(db, losers).catch((error: unknown) => failed(losers, error))
}

function failed(drafts: readonly Draft[], error: unknown): Outcomes {
  return new Map(drafts.map(({ intent }) => [intent.id, new Failed(error)]))
}

/** Returns the ids that it inserted. */
async function insert(db: Database, drafts: readonly Draft[]): Promise<ReadonlySet<string>> {
  const intents = drafts.map(({ intent }) => intent)
  const expires = drafts.map(({ intent, key }) =>
    key ? intent.createdAt.getTime() + lifetimes.idempotencyKey : null,
  )
  // PostgreSQL reads one array for each column in half the time of a JSON text. All instances insert, and so lock, keys
  // in the same order. Otherwise two batches could deadlock.
  const rows = await db.query<{ id: string }>`
    insert into intents (
      id, environment_id, amount, currency, order_id, customer, metadata, secret_salt, secret_kid,
      key_hash, key_fingerprint, key_expires_at, due_at, created_at)
    select id, environment, amount, currency, "orderId", customer, metadata, salt, kid,
           hash, fingerprint, to_timestamp(expires / 1000), to_timestamp(due / 1000),
           to_timestamp(created / 1000)
      from unnest(
        ${intents.map(({ id }) => id)}::text[],
        ${intents.map(({ environmentId }) => environmentId)}::text[],
        ${intents.map(({ amount }) => amount)}::bigint[],
        ${intents.map(({ currency }) => currency)}::text[],
        ${intents.map(({ orderId }) => orderId)}::text[],
        ${intents.map(({ customer }) => asJson(customer))}::json[],
        ${intents.map(({ metadata }) => asJson(metadata))}::json[],
        ${intents.map(({ secretSalt }) => secretSalt)}::bytea[],
        ${intents.map(({ secretKid }) => secretKid)}::text[],
        ${drafts.map(({ key }) => asBytea(key?.hash))}::bytea[],
        ${drafts.map(({ key }) => asBytea(key?.fingerprint))}::bytea[],
        ${expires}::float8[],
        ${intents.map((intent) => dueAt(intent)?.getTime() ?? null)}::float8[],
        ${intents.map(({ createdAt }) => createdAt.getTime())}::float8[]
      ) as draft (
        id, environment, amount, currency, "orderId", customer, metadata, salt, kid,
        hash, fingerprint, expires, due, created)
     order by hash, environment
    on conflict (key_hash, environment_id) do nothing
    returning id`
  return new Set(rows.map(({ id }) => id))
}

/** The intent of an idempotency key. */
interface Holder extends Intent {
  readonly hash: string
  readonly fingerprint: string
  readonly keyExpiresAt: Date
}

/** Compares drafts whose key is taken with the intent that has it. */
async function outcomesOf(db: Database, losers: readonly Draft[]): Promise<Outcomes> {
  // By the hash alone, which an index leads with. The environment is compared here.
  const holders = await db.query<Holder>`
    select ${columns}, encode(key_hash, 'hex') as hash,
           encode(key_fingerprint, 'hex') as fingerprint, key_expires_at as "keyExpiresAt"
      from intents
     where key_hash = any(${losers.map(({ key }) => asBytea(key?.hash))}::bytea[])
       and ${replicated}
     order by key_hash`
  const byKey = new Map(holders.map((each) => [`${each.environmentId} ${each.hash}`, each]))
  const outcomes = new Map<string, Created | Failed>()
  const expired: string[] = []
  for (const loser of losers) {
    const holder = byKey.get(`${loser.intent.environmentId} ${loser.key?.hash}`)
    if (holder && holder.keyExpiresAt <= loser.intent.createdAt) expired.push(holder.id)
    else if (holder) outcomes.set(loser.intent.id, outcomeOf(loser, holder))
  }
  const free = losers.filter(({ intent }) => !outcomes.has(intent.id))
  if (free.length === 0) return outcomes
  // The keys of the others have expired or were released since the insert, so insert them again.
  const again = await releaseKeys(db, expired)
    .then(async () => await createAll(db, free))
    .catch((error: unknown) => failed(free, error))
  return new Map([...outcomes, ...again])
}

function outcomeOf(
  { intent, key }: Draft,
  { hash, fingerprint, keyExpiresAt, ...holder }: Holder,
): Created {
  // The insert was committed but its result was lost, so the repeated insert finds its own row.
  if (holder.id === intent.id) return { type: 'created', intent }
  return key?.fingerprint === fingerprint
    ? { type: 'replayed', intent: holder }
    : { type: 'reused' }
}

async function releaseKeys(db: Database, ids: readonly string[]): Promise<void> {
  await db.query`
    update intents set key_hash = null, key_fingerprint = null, key_expires_at = null
     where id = any(${ids})`
}

/** Returns `bytea` in hex format. @see https://www.postgresql.org/docs/15/datatype-binary.html */
function asBytea(hex: string | undefined): string | null {
  return hex === undefined ? null : `\\x${hex}`
}

function asJson(value: object | null): string | null {
  return value && JSON.stringify(value)
}
