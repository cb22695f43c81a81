/**
 * The checkout credential of an intent: derived whenever it is needed, never stored.
 *
 * Every instance derives the same one, so a replay is byte-identical and a dump holds none.
 *
 * @module
 */
import { createHash, createHmac, timingSafeEqual } from 'node:crypto'
import { toBase62 } from '../ids.ts'
import type { SecretKeys } from '../secret-keys.ts'
import { lifetimes } from './lifetimes.ts'

/** What a secret is derived from. */
export interface SecretSource {
  readonly id: string
  readonly environmentId: string
  readonly secretKid: string
  /** `null`: revoked. The derived text then opens nothing. */
  readonly secretSalt: Buffer | null
}

/**
 * Returns the `clientSecret` of an intent: `<id>_secret_` and 48 characters of base62.
 *
 * @throws {Error} If its derivation key is missing. A start fails without one that a replay needs, so this is
 * a bug.
 */
export function clientSecret(keys: SecretKeys, source: SecretSource): string {
  const secret = derive(keys, source)
  if (!secret) throw new Error('PI_SECRET_KEYS holds no key for an intent of this store')
  return secret
}

/**
 * Returns whether a buyer's secret opens this intent now.
 *
 * A revoked secret never does, nor one whose intent has been final for ten minutes, nor one whose derivation
 * key was removed after that.
 *
 * @param at The environment's own time.
 */
export function opens(
  keys: SecretKeys,
  intent: SecretSource & { readonly finalizedAt: Date | null },
  { candidate, at }: { readonly candidate: string; readonly at: Date },
): boolean {
  const secret = derive(keys, intent)
  const matches = timingSafeEqual(digest(candidate), digest(secret ?? ''))
  const isValid =
    intent.finalizedAt === null ||
    at.getTime() < intent.finalizedAt.getTime() + lifetimes.secretAfterFinal
  return secret !== undefined && matches && isValid && intent.secretSalt !== null
}

function derive(keys: SecretKeys, source: SecretSource): string | undefined {
  const key = keys.derive('client-secret', source.secretKid)
  if (!key) return undefined
  const mac = createHmac('sha256', key)
    .update(`pi-checkout/client-secret/v1\0${source.environmentId}\0${source.id}\0`)
    .update(source.secretSalt ?? 'revoked')
    .digest()
  return `${source.id}_secret_${toBase62(mac)}`
}

// timingSafeEqual throws on unequal lengths, which would tell them apart: digests are all 32 bytes.
function digest(text: string): Buffer {
  return createHash('sha256').update(text).digest()
}
