/** Root secrets of the service, from which keys for different purposes are derived. @module */
import { createHmac, hash, hkdfSync, timingSafeEqual } from 'node:crypto'
import { SettingError } from './explained-error.ts'
import { randomSalt } from './ids.ts'

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

/** Compares secrets in constant time. `timingSafeEqual` requires equal lengths, which digests have. */
export function isSameSecret(one: string, other: string): boolean {
  return timingSafeEqual(hash('sha256', one, 'buffer'), hash('sha256', other, 'buffer'))
}

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
