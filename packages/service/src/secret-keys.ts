/** Root secrets of the service, from which keys for different purposes are derived. @module */
import { createHmac, hash, hkdfSync, timingSafeEqual } from 'node:crypto'
import type { Queryable } from './db/database.ts'
import { SettingError } from './explained-error.ts'
import { randomSalt } from './ids.ts'
import { type ApiKey, listApiKeys } from './merchants/api-keys.ts'

type Purpose = 'client-secret' | 'api-key' | 'checkout-token' | 'challenge-token' | 'first-key'

/** Root secrets by id. The first one signs, and all of them verify. */
export type SecretKeys = Readonly<ReturnType<typeof keysOf>>

/** Reads `k2:<43 base64url>,k1:<43 base64url>`, the newest first. Errors contain no values. */
export function readSecretKeys(text: string): SecretKeys {
  const roots = new Map<string, Buffer>()
  text.split(',').forEach((entry, at) => {
    const [, kid, encoded] = /^([a-z0-9]{1,8}):([A-Za-z0-9_-]{43})$/.exec(entry.trim()) ?? []
    if (kid === undefined || encoded === undefined) {
      throw new SettingError(
        `PI_SECRET_KEYS: entry ${at + 1} must be an id of 1 to 8 characters a-z 0-9, a colon, and 32 random bytes as 43 characters of base64url. ${generateHint}`,
      )
    }
    const root = Buffer.from(encoded, 'base64url')
    if (new Set(root).size < 8) {
      throw new SettingError(
        `PI_SECRET_KEYS: entry ${at + 1} is not random (fewer than 8 distinct bytes). ${generateHint}`,
      )
    }
    if (roots.has(kid)) {
      throw new SettingError(
        `PI_SECRET_KEYS: entry ${at + 1} repeats an id. Give each key its own id.`,
      )
    }
    roots.set(kid, root)
  })
  return keysOf(roots)
}

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

/** Compares secrets in constant time. `timingSafeEqual` requires equal lengths, which digests have. */
export function isSameSecret(one: string, other: string): boolean {
  return timingSafeEqual(hash('sha256', one, 'buffer'), hash('sha256', other, 'buffer'))
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

/** The command that generates a value of `PI_SECRET_KEYS`. */
export const generateHint =
  "Generate one: echo k1:$(openssl rand -base64 32 | tr '+/' '-_' | tr -d '=')."

export function newSecretKeys(): string {
  return `k1:${randomSalt(32).toString('base64url')}`
}

function keysOf(roots: ReadonlyMap<string, Buffer>) {
  const kids = [...roots.keys()]
  const derived = new Map<string, Buffer>()
  return {
    currentKid: kids[0] ?? '',
    kids,
    /** Derives the 32-byte key for a purpose. Returns `undefined` if no root secret has this id. */
    derive: (purpose: Purpose, kid: string): Buffer | undefined => {
      const name = `${purpose} ${kid}`
      const cached = derived.get(name)
      const root = roots.get(kid)
      if (cached || !root) return cached
      const key = Buffer.from(hkdfSync('sha256', root, '', `pi-checkout/v1/${purpose}`, 32))
      derived.set(name, key)
      return key
    },
    /** Returns a value that distinguishes root secrets with the same id, without revealing them. */
    checkValue: (kid: string): Buffer | undefined => {
      const root = roots.get(kid)
      return root && createHmac('sha256', root).update('pi-checkout/v1/check').digest()
    },
  }
}
