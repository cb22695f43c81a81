/** Secret API keys. The store contains hashes of them, so a key is shown only when it is created. @module */
import { createHmac, hash } from 'node:crypto'
import { newId } from '../ids.ts'
import type { SecretKeys } from '../secret-keys.ts'
import type { Database } from '../store/database.ts'
import { named, sql } from '../store/sql.ts'
import {
  type Environment,
  type EnvironmentRow,
  environmentColumns,
  environmentOf,
} from './environments.ts'

/** A stored key, without the secret. Times are in RFC 3339. */
export interface ApiKey {
  readonly id: string
  /** Prefix and last four characters of the key. */
  readonly display: string
  readonly merchant: string
  readonly environment: Environment['mode']
  readonly createdAt: string
  readonly revokedAt: string | null
}

interface KeyOptions {
  readonly environment: Pick<Environment, 'id' | 'mode'>
  readonly now: Date
}

/** Creates a key. Only its hash is stored, so the key cannot be read again. */
export async function createApiKey(
  db: Database,
  options: KeyOptions,
): Promise<{ readonly id: string; readonly apiKey: string }> {
  const apiKey = keyOf(options.environment, newId('', 36))
  return { id: await insertKey(db, { ...options, apiKey }), apiKey }
}

/**
 * Returns the key that each start shows: the first valid one of a sequence, which depends on the environment and the
 * secret key only. So starts at the same time show the same key. Stores it if it is new.
 */
export async function firstValidKey(
  db: Database,
  keys: SecretKeys,
  options: KeyOptions,
): Promise<string> {
  const { environment } = options
  for (let number = 1; ; number++) {
    const mac = createHmac('sha256', keys.firstKey)
      .update(`${environment.id} ${number}`)
      .digest('hex')
    const apiKey = keyOf(environment, mac.slice(0, 36))
    await insertKey(db, { ...options, apiKey })
    const found = await findApiKey(db, apiKey)
    if (found && !found.isRevoked) return apiKey
  }
}

/** Returns a key with the id of its environment: each key of an environment has the same, and no other key. */
function keyOf({ id, mode }: KeyOptions['environment'], random: string): string {
  return `pi_sk_${mode}_${id.slice('env_'.length)}_${random}`
}

/** Inserts nothing if the key is there. Returns the id of a new one. */
async function insertKey(
  db: Database,
  { apiKey, environment, now }: KeyOptions & { readonly apiKey: string },
): Promise<string> {
  const id = newId('key_', 16)
  const display = `pi_sk_${environment.mode}_…${apiKey.slice(-4)}`
  await db.query(sql`
    insert into api_keys (id, environment_id, hash, display, created_at)
    values (${id}, ${environment.id}, ${hash('sha256', apiKey)}, ${display}, ${now.getTime()})
    on conflict (hash) do nothing`)
  return id
}

export async function listApiKeys(db: Database): Promise<ApiKey[]> {
  type Row = Omit<ApiKey, 'createdAt' | 'revokedAt'> & {
    readonly createdAt: number
    readonly revokedAt: number | null
  }
  const rows = await db.query<Row>(sql`
    select k.id, k.display, e.merchant_name as merchant, e.mode as environment,
           k.created_at as "createdAt", k.revoked_at as "revokedAt"
      from api_keys k join environments e on e.id = k.environment_id
     order by k.created_at, k.id`)
  return rows.map(({ createdAt, revokedAt, ...key }) => ({
    ...key,
    createdAt: new Date(createdAt).toISOString(),
    revokedAt: revokedAt === null ? null : new Date(revokedAt).toISOString(),
  }))
}

/** Revokes a key permanently. Repeated calls change nothing. Returns `false` if no key has this id. */
export async function revokeApiKey(db: Database, id: string, now: Date): Promise<boolean> {
  const revoked = await db.query(sql`
    update api_keys set revoked_at = coalesce(revoked_at, ${now.getTime()}) where id = ${id} returning id`)
  if (revoked.length === 0) return false
  db.notify('environments')
  return true
}

export interface FoundKey {
  readonly environment: Environment
  readonly isRevoked: boolean
}

/** Looks up a key by its hash. */
export async function findApiKey(db: Database, apiKey: string): Promise<FoundKey | undefined> {
  type Row = EnvironmentRow & { readonly revokedAt: number | null }
  const [row] = await db.query<Row>(named('find_api_key')`
    select ${environmentColumns}, k.revoked_at as "revokedAt"
      from api_keys k left join environments e on e.id = k.environment_id
     where k.hash = ${hash('sha256', apiKey)}`)
  return row && { environment: environmentOf(row), isRevoked: row.revokedAt !== null }
}
