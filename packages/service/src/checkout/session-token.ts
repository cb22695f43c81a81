/**
 * Signs and verifies the tokens of checkout sessions. A token is valid for 15 minutes, for one intent and one
 * embedding origin. Its keys are derived from `PI_SECRET_KEYS`.
 *
 * Don't log errors of jose, because they contain the claims.
 *
 * @module
 */
import { createSecretKey, type KeyObject, randomUUID } from 'node:crypto'
import { decodeProtectedHeader, jwtVerify, SignJWT } from 'jose'
import { lifetimes } from '../intents/lifetimes.ts'
import type { SecretKeys } from '../secret-keys.ts'

export interface CheckoutSession {
  readonly id: string
  readonly environmentId: string
  /** Origin of the page around the hosted page. */
  readonly origin: string
}

export interface VerifiedSession extends CheckoutSession {
  readonly expiresAt: Date
}

/** Signs and verifies session tokens. The first secret key signs, and all of them verify. */
export class SessionTokens {
  readonly #issuer: string
  readonly #kid: string
  readonly #key: KeyObject
  // A Map, because `{}.constructor` exists and `kid` comes from the token.
  readonly #keys: ReadonlyMap<string, KeyObject>
  /** Verified tokens, oldest first, because a page sends its token with each request. */
  readonly #verified = new Map<string, Verified>()

  constructor(keys: SecretKeys, issuer: string) {
    this.#issuer = issuer
    this.#kid = keys.currentKid
    this.#key = tokenKey(keys, this.#kid)
    this.#keys = new Map(keys.kids.map((kid) => [kid, tokenKey(keys, kid)]))
  }

  async sign(session: CheckoutSession, now: Date): Promise<{ token: string; expiresAt: string }> {
    const issuedAt = Math.floor(now.getTime() / 1000)
    const expires = issuedAt + lifetimes.checkoutSession / 1000
    const token = await new SignJWT({ env: session.environmentId, org: session.origin })
      .setProtectedHeader({ alg: algorithm, typ: tokenType, kid: this.#kid })
      .setIssuer(this.#issuer)
      .setAudience(this.#audience)
      .setSubject(session.id)
      .setJti(randomUUID())
      .setIssuedAt(issuedAt)
      .setExpirationTime(expires)
      .sign(this.#key)
    return { token, expiresAt: new Date(expires * 1000).toISOString() }
  }

  async verify(token: string, now: Date): Promise<VerifiedSession | undefined> {
    if (token.length > maxTokenLength) return undefined
    const known = this.#verified.get(token)
    if (known && known.from <= now && now < known.session.expiresAt) return known.session
    try {
      const { kid } = decodeProtectedHeader(token)
      const key = this.#keys.get(kid ?? '')
      if (!key) return undefined
      const { payload } = await jwtVerify(token, key, {
        issuer: this.#issuer,
        audience: this.#audience,
        typ: tokenType,
        algorithms: [algorithm],
        requiredClaims: ['exp', 'iat', 'sub', 'jti'],
        maxTokenAge: lifetimes.checkoutSession / 1000,
        clockTolerance: 5,
        currentDate: now,
      })
      const { sub, env, org, exp = 0 } = payload
      if (typeof sub !== 'string' || typeof env !== 'string' || typeof org !== 'string') {
        return undefined
      }
      const session = { id: sub, environmentId: env, origin: org, expiresAt: new Date(exp * 1000) }
      this.#remember(token, { session, from: now })
      return session
    } catch {
      return undefined
    }
  }

  #remember(token: string, verified: Verified): void {
    if (this.#verified.size >= maxVerified) {
      const [oldest = ''] = this.#verified.keys()
      this.#verified.delete(oldest)
    }
    this.#verified.set(token, verified)
  }

  get #audience(): string {
    return `${this.#issuer}/checkout-api`
  }
}

/** A session, and the time from which its token is valid without another check. */
interface Verified {
  readonly session: VerifiedSession
  readonly from: Date
}

const maxVerified = 20_000
const maxTokenLength = 4096
const algorithm = 'HS256'
const tokenType = 'pi-checkout+jwt'

function tokenKey(keys: SecretKeys, kid: string): KeyObject {
  const key = keys.derive('checkout-token', kid)
  if (!key) throw new TypeError('keys: must derive a key for each of its ids')
  return createSecretKey(key)
}
