/**
 * The service's root secrets, and one key per purpose derived from each.
 *
 * @module
 */
import { createHmac, hkdfSync } from 'node:crypto'
import type { Queryable } from './db/database.ts'
import { randomSalt } from './identifiers.ts'

/** What a derived key is for. No key serves two. */
export type Purpose = 'client-secret' | 'api-key' | 'checkout-token'

/** The root secrets by their id. The first one signs, all of them verify. */
export interface SecretKeys {
  readonly currentKid: string
  readonly kids: readonly string[]
  /**
   * Returns the 32 bytes for a purpose.
   *
   * @returns `undefined` when no root secret has that id.
   */
  derive(purpose: Purpose, kid: string): Buffer | undefined
  /** Tells one root secret from another under the same id, without revealing it. */
  checkValue(kid: string): Buffer | undefined
}

/**
 * Reads `PI_SECRET_KEYS`: `k2:<43 base64url>,k1:<43 base64url>`, the newest first.
 *
 * @throws {TypeError} It says which entry breaks which rule, and never shows one.
 */
export function readSecretKeys(text: string): SecretKeys {
  const roots = new Map<string, Buffer>()
  text.split(',').forEach((entry, at) => {
    const [, kid, encoded] = /^([a-z0-9]{1,8}):([A-Za-z0-9_-]{43})$/.exec(entry.trim()) ?? []
    if (kid === undefined || encoded === undefined) {
      throw new TypeError(
        `PI_SECRET_KEYS: entry ${at + 1} must be an id of 1 to 8 characters a-z 0-9, a colon and 32 random bytes as 43 characters of base64url; make one with \`openssl rand -base64 32 | tr '+/' '-_' | tr -d '='\``,
      )
    }
    const root = Buffer.from(encoded, 'base64url')
    if (new Set(root).size < 8) {
      throw new TypeError(`PI_SECRET_KEYS: entry ${at + 1} must be 32 random bytes, not a sample`)
    }
    if (roots.has(kid)) {
      throw new TypeError(
        `PI_SECRET_KEYS: entry ${at + 1} uses an id twice; every key needs its own`,
      )
    }
    roots.set(kid, root)
  })
  return keysOf(roots)
}

/**
 * Compares keys with those that a store was written with.
 *
 * @returns What is wrong and how to mend it; `undefined` when every row finds its key.
 */
export async function keyFault(
  db: Queryable,
  keys: SecretKeys,
): Promise<{ readonly problem: string; readonly fix: string } | undefined> {
  const known = await db.query<{ kid: string; checkValue: Buffer }>`
    select kid, check_value as "checkValue" from secret_keys`
  for (const { kid, checkValue } of known) {
    const own = keys.checkValue(kid)
    if (own && !own.equals(checkValue)) {
      return {
        problem: `key ${kid} is another than the one that this store was written with`,
        fix: 'restore it, or give the new key a new id',
      }
    }
  }
  // Whoever writes a row has put its key's id here first, so the rows are searched for one that is
  // gone, and not at all where none is.
  const [orphan] = await db.query<{ kid: string }>`
    select kid from secret_keys
     where kid <> all(${keys.kids})
       and (exists (select from api_keys where pepper_kid = kid and revoked_at is null)
            or exists (select from payment_intents
                        where secret_kid = kid
                          and (idempotency_hash is not null or finalized_at is null)))
     limit 1`
  return (
    orphan && {
      problem: `key ${orphan.kid} is missing, but rows of this store need it`,
      fix: 'add it behind the first one',
    }
  )
}

/** Makes a first root secret, in the form of `PI_SECRET_KEYS`. */
export function newSecretKeys(): string {
  return `k1:${randomSalt(32).toString('base64url')}`
}

function keysOf(roots: ReadonlyMap<string, Buffer>): SecretKeys {
  const kids = [...roots.keys()]
  const derived = new Map<string, Buffer>()
  return {
    currentKid: kids[0] ?? '',
    kids,
    derive: (purpose, kid) => {
      const name = `${purpose} ${kid}`
      const known = derived.get(name)
      const root = roots.get(kid)
      if (known || !root) return known
      const key = Buffer.from(hkdfSync('sha256', root, '', `pi-checkout/v1/${purpose}`, 32))
      derived.set(name, key)
      return key
    },
    checkValue: (kid) => {
      const root = roots.get(kid)
      return root && createHmac('sha256', root).update('pi-checkout/v1/check').digest()
    },
  }
}
