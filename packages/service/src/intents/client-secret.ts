/** Derives the `clientSecret`, the same in all instances. It is not stored. @module */
import { createHmac } from 'node:crypto'
import { toBase62 } from '../ids.ts'
import { isSameSecret, type SecretKeys } from '../secret-keys.ts'
import type { Intent } from './intent.ts'
import { lifetimes } from './lifetimes.ts'

type SecretSource = Pick<Intent, 'id' | 'environmentId' | 'secretKid' | 'secretSalt'>

/** Returns `<id>_secret_` and 48 characters of base62. The start checks that all needed keys exist. */
export function clientSecret(keys: SecretKeys, source: SecretSource): string {
  const secret = derive(keys, source)
  if (!secret) throw new Error('PI_SECRET_KEYS lacks the key of an intent in this store')
  return secret
}

/** A secret is valid until it or its key is revoked, or ten minutes after its intent became final. */
export function opens(
  keys: SecretKeys,
  intent: SecretSource & Pick<Intent, 'finalizedAt'>,
  { candidate, at }: { readonly candidate: string; readonly at: Date },
): boolean {
  const secret = derive(keys, intent)
  const matches = isSameSecret(candidate, secret ?? '')
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
