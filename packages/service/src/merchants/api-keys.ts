/** Secret API keys. The store contains hashes of them, so a key is shown only when it is created. @module */
import { createHmac, hash } from 'node:crypto'
import { crc32 } from 'node:zlib'
import { apiKeyPattern } from '@pi-checkout/contract'
import { base62Digits, randomBase62, toBase62 } from '../ids.ts'
import type { SecretKeys } from '../secret-keys.ts'
import type { Database } from '../store/database.ts'
import { named, type Statement, sql } from '../store/sql.ts'
import {
  type Environment,
  type EnvironmentRow,
  environmentColumns,
  environmentOf,
} from './environments.ts'

/** A stored key, without the secret. */
export interface ApiKey {
  readonly id: string
  /** Prefix and last four characters of the key. */
  readonly display: string
  readonly merchant: string
  readonly environment: Environment['mode']
  readonly createdAt: Date
  readonly expiresAt: Date | null
  readonly revokedAt: Date | null
}

export interface FoundKey {
  readonly environment: Environment
  readonly expiresAt: Date | null
  readonly revokedAt: Date | null
}

interface KeyOptions {
  readonly environment: Pick<Environment, 'id' | 'mode'>
  readonly now: Date
  readonly expiresAt?: Date | undefined
}

/** Creates a key. Only its hash is stored, so the key cannot be read again. */
export async function createApiKey(
  db: Database,
  options: KeyOptions,
): Promise<{ readonly id: string; readonly apiKey: string }> {
  const { statement, ...created } = newApiKey(options)
  await db.query(statement)
  db.notify('environments')
  return created
}

/** Returns a random key, and the statement that stores its hash. */
export function newApiKey(options: KeyOptions): {
  readonly id: string
  readonly apiKey: string
  readonly statement: Statement
} {
  const apiKey = keyOf(options.environment, randomBase62(30))
  const id = `key_${randomBase62(16)}`
  return { id, apiKey, statement: insertKey({ ...options, id, apiKey }) }
}

/**
 * Returns the key that each start shows: the first valid one of a sequence, which depends on the environment and the
 * secret key only. So starts at the same time show the same key. Stores it if it is new.
 */
export async function firstValidKey(
  db: Database,
  keys: SecretKeys,
  { environment, now }: { readonly environment: Environment; readonly now: Date },
): Promise<string> {
  for (let number = 1; ; number++) {
    const mac = createHmac('sha256', keys.derive('first-key'))
      .update(`${environment.id} ${number}`)
      .digest()
    const apiKey = keyOf(environment, toBase62(mac).slice(0, 30))
    const id = `key_${randomBase62(16)}`
    const [inserted] = await db.query(insertKey({ id, apiKey, environment, now }))
    if (inserted) {
      db.notify('environments')
      return apiKey
    }
    const found = await findApiKey(db, apiKey)
    if (found && !found.revokedAt) return apiKey
  }
}

/** Returns a key with the id of its environment: each key of an environment has the same, and no other key. */
function keyOf({ id, mode }: KeyOptions['environment'], random: string): string {
  const body = `${id.slice('env_'.length)}_${random}`
  return `pi_sk_${mode}_${body}${checksum(body)}`
}

function insertKey({
  id,
  apiKey,
  environment,
  now,
  expiresAt,
}: KeyOptions & { readonly id: string; readonly apiKey: string }): Statement {
  const display = `pi_sk_${environment.mode}_…${apiKey.slice(-4)}`
  return sql`
    insert into api_keys (id, environment_id, hash, display, created_at, expires_at)
    values (${id}, ${environment.id}, ${hash('sha256', apiKey)}, ${display}, ${now.getTime()},
            ${expiresAt?.getTime() ?? null})
    on conflict (hash) do nothing returning id`
}

interface KeyTimes {
  readonly expiresAt: number | null
  readonly revokedAt: number | null
}

export async function listApiKeys(db: Database): Promise<ApiKey[]> {
  type Row = Omit<ApiKey, 'createdAt' | keyof KeyTimes> & KeyTimes & { readonly createdAt: number }
  const rows = await db.query<Row>(sql`
    select k.id, k.display, m.name as merchant, e.mode as environment,
           k.created_at as "createdAt", k.expires_at as "expiresAt", k.revoked_at as "revokedAt"
      from api_keys k join environments e on e.id = k.environment_id
      join merchants m on m.id = e.merchant_id
     order by k.created_at, k.id`)
  return rows.map((row) => ({ ...row, createdAt: new Date(row.createdAt), ...timesOf(row) }))
}

function timesOf({ expiresAt, revokedAt }: KeyTimes): Pick<FoundKey, keyof KeyTimes> {
  return {
    expiresAt: expiresAt === null ? null : new Date(expiresAt),
    revokedAt: revokedAt === null ? null : new Date(revokedAt),
  }
}

/**
 * Revokes a key permanently. Repeated calls change nothing.
 *
 * @param key - `environmentId`: the only environment to search. All of them without it.
 * @returns `false` if no key has this id.
 */
export async function revokeApiKey(
  db: Database,
  {
    id,
    environmentId,
    now,
  }: { readonly id: string; readonly environmentId?: string; readonly now: Date },
): Promise<boolean> {
  const revoked = await db.query(sql`
    update api_keys set revoked_at = coalesce(revoked_at, ${now.getTime()})
     where id = ${id} and environment_id = coalesce(${environmentId ?? null}, environment_id)
    returning id`)
  if (revoked.length === 0) return false
  db.notify('environments')
  return true
}

export function isApiKey(text: string): boolean {
  const [, , environment, random, sum] = apiKeyPattern.exec(text) ?? []
  return sum !== undefined && checksum(`${environment}_${random}`) === sum
}

/** Looks up a key by its hash. */
export async function findApiKey(db: Database, apiKey: string): Promise<FoundKey | undefined> {
  const [row] = await db.query<EnvironmentRow & KeyTimes>(named('find_api_key')`
    select ${environmentColumns}, k.expires_at as "expiresAt", k.revoked_at as "revokedAt"
      from api_keys k left join environments e on e.id = k.environment_id
      left join merchants m on m.id = e.merchant_id
     where k.hash = ${hash('sha256', apiKey)}`)
  return row && { environment: environmentOf(row), ...timesOf(row) }
}

// With a checksum, mistyped or incomplete keys are rejected without a lookup.
function checksum(body: string): string {
  return base62Digits(crc32(body), 6)
}
