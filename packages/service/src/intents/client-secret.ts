/** Derives the `clientSecret`, the same in all instances. It is not stored. @module */
import { createHmac } from 'node:crypto'
import { isSameSecret, type SecretKeys } from '../secret-keys.ts'
import { lifetimes } from './deadlines.ts'
import type { Intent } from './intent.ts'

/** Returns `<id>_secret_` and 64 hexadecimal digits. */
export function clientSecret(
  keys: SecretKeys,
  { id, environmentId }: Pick<Intent, 'id' | 'environmentId'>,
): string {
  const mac = createHmac('sha256', keys.clientSecret)
    .update(`pi-checkout/client-secret/v2\0${environmentId}\0${id}`)
    .digest('hex')
  return `${id}_secret_${mac}`
}

/** A secret is valid until it is revoked, or ten minutes after its intent became final. */
export function opens(
  keys: SecretKeys,
  intent: Pick<Intent, 'id' | 'environmentId' | 'revokedAt' | 'finalizedAt'>,
  { candidate, at }: { readonly candidate: string; readonly at: Date },
): boolean {
  const { finalizedAt, revokedAt } = intent
  const matches = isSameSecret(candidate, clientSecret(keys, intent))
  const isRecent =
    finalizedAt === null || at.getTime() < finalizedAt.getTime() + lifetimes.secretAfterFinal
  return matches && isRecent && revokedAt === null
}
