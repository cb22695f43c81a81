/** The secret of the service, from which keys for different purposes are derived. @module */
import { hash, hkdfSync, randomBytes, timingSafeEqual } from 'node:crypto'
import { SettingError } from './explained-error.ts'

type Purpose = 'check' | 'client-secret' | 'first-key' | 'idempotency' | 'token'

export type SecretKeys = Readonly<ReturnType<typeof readSecretKey>>

/** The command that generates a value of `PI_SECRET_KEY`. */
export const generateHint = "Generate one: openssl rand -base64 32 | tr '+/' '-_' | tr -d '='."

/** Reads 32 random bytes in base64url. Errors contain no value. */
export function readSecretKey(text: string) {
  const secret = Buffer.from(text, 'base64url')
  if (!/^[A-Za-z0-9_-]{43}$/.test(text)) {
    throw new SettingError(
      `PI_SECRET_KEY: must be 32 random bytes as 43 characters of base64url. ${generateHint}`,
    )
  }
  if (new Set(secret).size < 8) {
    throw new SettingError(
      `PI_SECRET_KEY: is not random (fewer than 8 distinct bytes). ${generateHint}`,
    )
  }
  const derived = new Map<Purpose, Buffer>()
  return {
    /** Derives the 32-byte key for a purpose. */
    derive: (purpose: Purpose): Buffer => {
      const key =
        derived.get(purpose) ??
        Buffer.from(hkdfSync('sha256', secret, '', `pi-checkout/v1/${purpose}`, 32))
      derived.set(purpose, key)
      return key
    },
  }
}

export function newSecretKey(): string {
  return randomBytes(32).toString('base64url')
}

/** Compares secrets in constant time. `timingSafeEqual` requires equal lengths, which digests have. */
export function isSameSecret(one: string, other: string): boolean {
  return timingSafeEqual(hash('sha256', one, 'buffer'), hash('sha256', other, 'buffer'))
}
