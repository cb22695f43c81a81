/** Secret API keys. The store contains keyed hashes of them, so a key is shown only when it is created. @module */
import { createHmac, timingSafeEqual } from 'node:crypto'
import { crc32 } from 'node:zlib'
import { apiKeyPattern } from '@pi-checkout/contract'
import { batch } from '../db/batch.ts'
import type { Database, Queryable } from '../db/database.ts'
import { base62Digits, randomBase62, toBase62 } from '../ids.ts'
import type { SecretKeys } from '../secret-keys.ts'
import { type Environment, findEnvironments } from './environments.ts'

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

/** Creates a key. Only its hash is stored, so the key cannot be read again. */
export async function createApiKey(
  db: Queryable,
  keys: SecretKeys,
  key: KeyOptions,
): Promise<{ readonly id: string; readonly apiKey: string }> {
  const apiKey = keyOf(key.environment, randomBase62(30))
  const id = await insert(db, keys, { ...key, apiKey })
  return { id, apiKey }
}

interface KeyOptions {
  readonly environment: Pick<Environment, 'id' | 'mode'>
  readonly now: Date
  readonly expiresAt?: Date | undefined
}

/**
 * Returns the key that each start shows: the first valid one of a sequence, which depends on the environment and the
 * newest root secret only. So starts at the same time show the same key. Stores it if it is new.
 */
export async function firstValidKey(
  db: Queryable,
  keys: SecretKeys,
  { environment, now }: { readonly environment: Environment; readonly now: Date },
): Promise<string> {
  const secret = keys.derive('first-key', keys.currentKid) ?? ''
  for (let number = 1; ; number++) {
    const mac = createHmac('sha256', secret).update(`${environment.id} ${number}`).digest()
    const apiKey = keyOf(environment, toBase62(mac).slice(0, 30))
    await insert(db, keys, { apiKey, environment, now })
    const [found] = await findApiKeys(db, keys, [apiKey])
    if (found && !found.revokedAt) return apiKey
  }
}

/** Returns a key with the id of its environment: each key of an environment has the same, and no other key. */
function keyOf({ id, mode }: KeyOptions['environment'], random: string): string {
  const body = `${id.slice('env_'.length)}_${random}`
  return `pi_sk_${mode}_${body}${checksum(body)}`
}

/** Stores a key unless it is stored already. Returns the id of a new one. */
async function insert(
  db: Queryable,
  keys: SecretKeys,
  { apiKey, environment, now, expiresAt }: KeyOptions & { readonly apiKey: string },
): Promise<string> {
  const id = `key_${randomBase62(16)}`
  const display = `pi_sk_${environment.mode}_…${apiKey.slice(-4)}`
  await db.query`
    insert into api_keys (id, environment_id, hash, pepper_kid, display, created_at, expires_at)
    values (${id}, ${environment.id}, ${hashOf(keys, keys.currentKid, apiKey)},
            ${keys.currentKid}, ${display}, ${now}, ${expiresAt ?? null})
    on conflict (hash) do nothing`
  db.notify('environments')
  return id
}

export async function listApiKeys(db: Queryable): Promise<ApiKey[]> {
  const keys = await db.query<Omit<ApiKey, 'merchant' | 'environment'> & InEnvironment>`
    select id, environment_id as "environmentId", display, created_at as "createdAt",
           expires_at as "expiresAt", revoked_at as "revokedAt"
      from api_keys order by created_at, id`
  const ids = keys.map(({ environmentId }) => environmentId)
  const environments = await findEnvironments(db, ids)
  return keys.flatMap(({ environmentId, ...key }) => {
    const found = environments.get(environmentId)
    return found ? [{ ...key, merchant: found.merchantName, environment: found.mode }] : []
  })
}

/**
 * Revokes a key permanently. Repeated calls change nothing.
 *
 * @param key - `environmentId`: the only environment to search. All of them without it.
 * @returns `false` if no key has this id.
 */
export async function revokeApiKey(
  db: Queryable,
  { id, environmentId, now }: RevokedKey,
): Promise<boolean> {
  const revoked = await db.query`
    update api_keys set revoked_at = coalesce(revoked_at, ${now})
     where id = ${id} and environment_id = coalesce(${environmentId ?? null}, environment_id) returning id`
  if (revoked.length === 0) return false
  db.notify('environments')
  return true
}

interface RevokedKey {
  readonly id: string
  readonly environmentId?: string
  readonly now: Date
}

export function isApiKey(text: string): boolean {
  const [, , environment, random, sum] = apiKeyPattern.exec(text) ?? []
  return sum !== undefined && checksum(`${environment}_${random}`) === sum
}

/** Concurrent lookups share a statement, so many unknown keys need few statements. */
export function apiKeyLookUps(
  db: Database,
  keys: SecretKeys,
): (apiKey: string) => Promise<FoundKey | undefined> {
  return batch({
    run: async (apiKeys) => await findApiKeys(db, keys, apiKeys),
    separable: () => false,
    commits: false,
    kind: db.kind,
  })
}

/** Looks up keys by their hashes. Replaces a hash that was made with an older root secret. */
async function findApiKeys(
  db: Queryable,
  keys: SecretKeys,
  apiKeys: readonly string[],
): Promise<readonly (FoundKey | undefined)[]> {
  const hashes = apiKeys.map((apiKey) => keys.kids.map((kid) => hashOf(keys, kid, apiKey)))
  const rows = await db.query<FoundRow>`
    select id, environment_id as "environmentId", hash, pepper_kid as kid,
           expires_at as "expiresAt", revoked_at as "revokedAt"
      from api_keys where hash = any(${hashes.flat()})`
  if (rows.length === 0) return apiKeys.map(() => undefined)
  const ids = rows.map(({ environmentId }) => environmentId)
  const environments = await findEnvironments(db, ids)
  const found: (FoundKey | undefined)[] = []
  for (const [at, apiKey] of apiKeys.entries()) {
    const row = rows.find(({ hash }) => hashes[at]?.some((each) => timingSafeEqual(each, hash)))
    const environment = row && environments.get(row.environmentId)
    if (environment && row.kid !== keys.currentKid) await rehash(db, keys, { row, apiKey })
    found.push(environment && { environment, expiresAt: row.expiresAt, revokedAt: row.revokedAt })
  }
  return found
}

async function rehash(
  db: Queryable,
  keys: SecretKeys,
  { row, apiKey }: { readonly row: FoundRow; readonly apiKey: string },
): Promise<void> {
  await db.query`
    update api_keys
       set hash = ${hashOf(keys, keys.currentKid, apiKey)}, pepper_kid = ${keys.currentKid}
     where id = ${row.id}`
}

interface InEnvironment {
  readonly environmentId: string
}

interface FoundRow extends InEnvironment, Omit<FoundKey, 'environment'> {
  readonly id: string
  readonly hash: Buffer
  readonly kid: string
}

function hashOf(keys: SecretKeys, kid: string, apiKey: string): Buffer {
  const pepper = keys.derive('api-key', kid)
  if (!pepper) throw new Error('PI_SECRET_KEYS lacks a key that it listed')
  return createHmac('sha256', pepper).update(apiKey).digest()
}

// With a checksum, mistyped or incomplete keys are rejected without a lookup.
function checksum(body: string): string {
  return base62Digits(crc32(body), 6)
}
