/** Finds rows of a store that need another root secret than the configured ones. @module */
import type { Queryable } from '../db/database.ts'
import { type ApiKey, listApiKeys } from '../merchants/api-keys.ts'
import type { SecretKeys } from '../secret-keys.ts'

/** Returns what is wrong with the keys of a store, or `undefined` if every row has its key. */
export async function keyFault(db: Queryable, keys: SecretKeys): Promise<KeyFault | undefined> {
  const stored = await db.query<{ kid: string; checkValue: Buffer }>`
    select kid, check_value as "checkValue" from secret_keys order by kid`
  for (const { kid, checkValue } of stored) {
    const configured = keys.checkValue(kid)
    if (configured && !configured.equals(checkValue)) {
      return {
        problem: `key ${kid} differs from the key that this store was written with`,
        fix: `Restore the original ${kid}, or add the new key under a new id.`,
      }
    }
  }
  // Rows are searched only for keys that this table lists and PI_SECRET_KEYS lacks.
  const missing = stored.map(({ kid }) => kid).filter((kid) => !keys.kids.includes(kid))
  for (const kid of missing) {
    const intents = await db.query`
      select from intents
       where secret_kid = ${kid} and (key_hash is not null or finalized_at is null)
       limit 1`
    const holders = await keysUnder(db, kid)
    const holdsIntents = intents.length > 0
    if (holdsIntents || holders.length > 0) return missingKey(kid, holdsIntents, holders)
  }
  return undefined
}

interface KeyFault {
  readonly problem: string
  readonly fix: string
}

/** Finds valid API keys that are hashed with a root secret. A use of a key hashes it with the first one. */
async function keysUnder(db: Queryable, kid: string): Promise<readonly ApiKey[]> {
  const under = await db.query<{ id: string }>`
    select id from api_keys
     where pepper_kid = ${kid} and revoked_at is null
       and (expires_at is null or expires_at > now())`
  const ids = new Set(under.map(({ id }) => id))
  return (await listApiKeys(db)).filter(({ id }) => ids.has(id))
}

function missingKey(kid: string, holdsIntents: boolean, holders: readonly ApiKey[]): KeyFault {
  const named = holders
    .slice(0, maxNamed)
    .map(
      ({ id, display, merchant, environment }) => `${merchant} (${environment}) ${display} ${id}`,
    )
  const more = holders.length - named.length
  const needs = [
    ...(holdsIntents ? ['open intents or intents younger than 48 hours'] : []),
    ...named,
    ...(more > 0 ? [`${more} more API keys`] : []),
  ]
  const [first] = holders
  const replace = first
    ? ` Then use each of these API keys once, or revoke it (pi-service keys revoke ${first.id}).`
    : ''
  return {
    problem: `key ${kid} is missing, but rows of this store need it: ${needs.join(', ')}`,
    fix: `Add it after the first key.${replace}`,
  }
}

const maxNamed = 5
