/** The secret of the service, from which keys for different purposes are derived. @module */
import { hash, hkdfSync, randomBytes, timingSafeEqual } from 'node:crypto'
import { SettingError } from './explained-error.ts'

export type SecretKeys = Readonly<ReturnType<typeof readSecretKey>>

/** The command that generates a value of `PI_SECRET_KEY`. */
export const generateHint = "Generate one: openssl rand -base64 32 | tr '+/' '-_' | tr -d '='."

/** Reads 32 random bytes in base64url, and derives a key for each purpose. Errors contain no value. */
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
  const derive = (purpose: string): Buffer =>
    Buffer.from(hkdfSync('sha256', secret, '', `pi-checkout/v1/${purpose}`, 32))
  return {
    check: derive('check'),
    clientSecret: derive('client-secret'),
    firstKey: derive('first-key'),
    idempotency: derive('idempotency'),
    token: derive('token'),
  }
}

export function newSecretKey(): string {
  return randomBytes(32).toString('base64url')
}

/** Compares secrets in constant time. `timingSafeEqual` requires equal lengths, which digests have. */
export function isSameSecret(one: string, other: string): boolean {
  return timingSafeEqual(hash('sha256', one, 'buffer'), hash('sha256', other, 'buffer'))
}
