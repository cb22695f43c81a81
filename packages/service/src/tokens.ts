/**
 * Signed tokens of buyers' pages (RFC 7519). Each has one purpose, and belongs to one intent and to one origin of the shop.
 *
 * Don't log errors of jose, because they contain the claims.
 *
 * @module
 */
import { createSecretKey, hash, randomUUID } from 'node:crypto'
import { jwtVerify, SignJWT } from 'jose'
import type { SecretKeys } from './secret-keys.ts'

const minute = 60_000

/** Lifetime of each purpose in milliseconds. */
export const tokenLifetimes = {
  /** The private API of the hosted page. */
  session: 15 * minute,
  /** A full page, whose cookie it is. */
  'full-page': 60 * minute,
  /** The test bank's code form. It opens once, while the challenge is open. */
  challenge: 60 * minute,
  /** One code at the test bank. */
  code: 60 * minute,
} as const

type Purpose = keyof typeof tokenLifetimes

export interface TokenSubject {
  /** Id of the intent. */
  readonly id: string
  /** Origin of the page around the hosted page, or to which the full page returns. */
  readonly origin: string
}

export interface Verified extends TokenSubject {
  readonly expiresAt: Date
}

/** Creates what signs and verifies tokens with a key that is derived from `PI_SECRET_KEY`. */
export function createTokens(keys: SecretKeys, now: () => Date) {
  const key = createSecretKey(keys.token)
  /** Valid tokens, oldest first, because a page sends its token with each request. */
  const known = new Map<string, Verified & { readonly purpose: Purpose }>()

  function remember(token: string, purpose: Purpose, verified: Verified): void {
    if (known.size >= maxKnown) known.delete(known.keys().next().value ?? '')
    known.set(token, { ...verified, purpose })
  }

  return {
    sign: async (purpose: Purpose, { id, origin }: TokenSubject): Promise<string> => {
      const seconds = Math.floor((now().getTime() + tokenLifetimes[purpose]) / 1000)
      const expiresAt = new Date(seconds * 1000)
      const token = await new SignJWT({ origin })
        .setProtectedHeader({ alg: algorithm })
        .setAudience(purpose)
        .setSubject(id)
        .setJti(randomUUID())
        .setExpirationTime(seconds)
        .sign(key)
      remember(token, purpose, { id, origin, expiresAt })
      return token
    },
    /** Returns `undefined` if the token is not valid for this purpose, or not any more. */
    verify: async (purpose: Purpose, token: string): Promise<Verified | undefined> => {
      const found = known.get(token)
      if (found) return found.purpose === purpose && now() < found.expiresAt ? found : undefined
      try {
        const { payload } = await jwtVerify(token, key, {
          audience: purpose,
          algorithms: [algorithm],
          requiredClaims: ['exp'],
          currentDate: now(),
        })
        const { sub: id, origin, exp = 0 } = payload
        if (typeof id !== 'string' || typeof origin !== 'string') return undefined
        const verified = { id, origin, expiresAt: new Date(exp * 1000) }
        remember(token, purpose, verified)
        return verified
      } catch {
        return undefined
      }
    },
  }
}

/** Returns what a challenge stores of a token. */
export function hashOfToken(token: string): string {
  return hash('sha256', token, 'base64url')
}

const algorithm = 'HS256'
const maxKnown = 20_000
