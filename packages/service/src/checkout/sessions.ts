/**
 * Opens checkout sessions with `id` and `clientSecret`, and reads the session of a request. A token is valid for one
 * intent and one origin of the shop: 15 minutes for the private API, an hour as the cookie of a full page. Its keys are
 * derived from `PI_SECRET_KEY`.
 *
 * Don't log errors of jose, because they contain the claims.
 *
 * @module
 */
import { randomUUID, type webcrypto } from 'node:crypto'
import type { FastifyRequest } from 'fastify'
import { jwtVerify, SignJWT } from 'jose'
import type { OpenSessionBody } from '../../shared/checkout-api.ts'
import { ProblemError } from '../http/problem.ts'
import { createBuckets, type Rate } from '../http/rate-limit.ts'
import { opens } from '../intents/client-secret.ts'
import { lifetimes } from '../intents/lifetimes.ts'
import { type IntentStore, load, type Snapshot } from '../intents/store.ts'
import type { SecretKeys } from '../secret-keys.ts'
import { checkoutApiError } from './api-errors.ts'

interface CheckoutSession {
  readonly id: string
  readonly environmentId: string
  /** Origin of the page around the hosted page, or to which the full page returns. */
  readonly origin: string
}

/** What a token is for. It is the path of the token's audience. */
type TokenUse = 'checkout-api' | 'checkout'

export interface VerifiedSession extends CheckoutSession {
  readonly expiresAt: Date
}

/** What opening a session needs. */
export interface SessionOpener {
  readonly intents: IntentStore
  readonly keys: SecretKeys
  readonly tokens: SessionTokens
  /** Counts a session of an intent. Called with a valid `clientSecret` only. */
  readonly limit: (intentId: string) => void
}

/** Sessions of one intent. A page opens one for each load. */
const sessionRate: Rate = { burst: 100, perSecond: 1 }

/** Returns what opens sessions of the private API, and those of full pages. Both have the same limits. */
export function sessionOpeners({
  intents,
  keys,
  publicUrl,
}: Pick<SessionOpener, 'intents' | 'keys'> & { readonly publicUrl: string }) {
  const limit = createBuckets(sessionRate, intents.now).take
  const opener = (use: TokenUse): SessionOpener => {
    return { intents, keys, limit, tokens: new SessionTokens(keys, publicUrl, use) }
  }
  return { frame: opener('checkout-api'), full: opener('checkout') }
}

/** Opens a session. An unknown `id` and an invalid `clientSecret` get the same response. */
export async function openSession(
  { intents, keys, tokens, limit }: SessionOpener,
  { id, clientSecret, origin }: OpenSessionBody,
): Promise<{ readonly token: string; readonly expiresAt: string; readonly snapshot: Snapshot }> {
  const snapshot = await load(intents, id)
  if (!snapshot) throw rejected('unknown_intent')
  const { environment, intent, at } = snapshot
  if (!opens(keys, intent, { candidate: clientSecret, at })) {
    throw rejected(intent.revokedAt !== null ? 'revoked_secret' : 'wrong_or_old_secret')
  }
  limit(id)
  if (!environment.allowedOrigins.includes(origin)) {
    const problem = new ProblemError(
      'origin_not_allowed',
      'The origin of the page around the checkout is not registered. Run pi-service origins add.',
    )
    throw Object.assign(problem, { rule: 'unregistered_origin' })
  }
  const session = { id, environmentId: environment.id, origin }
  return { ...(await tokens.sign(session, intents.now())), snapshot }
}

/** Returns the error for an invalid handoff. Only the log names the rule. */
function rejected(rule: string): ProblemError {
  return Object.assign(checkoutApiError('payment_intent_not_found'), { rule })
}

/** Returns the reader of sessions. */
export function sessionReader(intents: IntentStore, tokens: SessionTokens) {
  return {
    /** Verifies the token of a request without the store. @throws {ProblemError} `invalid_session` */
    verify: async ({ headers }: FastifyRequest): Promise<VerifiedSession> => {
      const { authorization: sent } = headers
      const [, token] = /^Bearer +([\w.~+/-]+=*)$/i.exec(sent ?? '') ?? []
      const session = token && (await tokens.verify(token, intents.now()))
      if (!session) throw sessionEnded(sent ? 'Bearer error="invalid_token"' : 'Bearer')
      return session
    },
    /** Reads the intent of a session. @throws {ProblemError} If its origin or its secret was revoked. */
    read: async ({ id, environmentId, origin }: VerifiedSession): Promise<Snapshot> => {
      const snapshot = await load(intents, id)
      const isActive =
        snapshot?.environment.id === environmentId &&
        snapshot.environment.allowedOrigins.includes(origin) &&
        snapshot.intent.revokedAt === null
      if (snapshot && isActive) return snapshot
      throw sessionEnded()
    },
  }
}

/** Returns the error for a session that is not valid, or not any more. */
export function sessionEnded(challenge = 'Bearer error="invalid_token"'): ProblemError {
  return new ProblemError(
    'invalid_session',
    'The checkout session has ended. Open a new one with the clientSecret.',
    { headers: { 'www-authenticate': challenge } },
  )
}

/** Signs and verifies session tokens. */
export class SessionTokens {
  readonly #issuer: string
  readonly #use: TokenUse
  readonly #key: Promise<webcrypto.CryptoKey>
  /** Valid tokens, oldest first, because a page sends its token with each request. */
  readonly #verified = new Map<string, Verified>()

  constructor(keys: SecretKeys, issuer: string, use: TokenUse = 'checkout-api') {
    this.#issuer = issuer
    this.#use = use
    this.#key = tokenKey(keys)
  }

  async sign(session: CheckoutSession, now: Date): Promise<{ token: string; expiresAt: string }> {
    const issuedAt = Math.floor(now.getTime() / 1000)
    const expiresAt = new Date(1000 * (issuedAt + this.#lifetime))
    const token = await new SignJWT({ env: session.environmentId, org: session.origin })
      .setProtectedHeader({ alg: algorithm, typ: tokenType })
      .setIssuer(this.#issuer)
      .setAudience(this.#audience)
      .setSubject(session.id)
      .setJti(randomUUID())
      .setIssuedAt(issuedAt)
      .setExpirationTime(expiresAt)
      .sign(await this.#key)
    this.#remember(token, { session: { ...session, expiresAt }, from: now })
    return { token, expiresAt: expiresAt.toISOString() }
  }

  async verify(token: string, now: Date): Promise<VerifiedSession | undefined> {
    if (token.length > maxTokenLength) return undefined
    const known = this.#verified.get(token)
    if (known && known.from <= now && now < known.session.expiresAt) return known.session
    try {
      const { payload } = await jwtVerify(token, await this.#key, {
        issuer: this.#issuer,
        audience: this.#audience,
        typ: tokenType,
        algorithms: [algorithm],
        requiredClaims: ['exp', 'iat', 'sub', 'jti'],
        maxTokenAge: this.#lifetime,
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
    return `${this.#issuer}/${this.#use}`
  }

  /** In seconds. */
  get #lifetime(): number {
    return lifetimes[this.#use === 'checkout' ? 'fullPage' : 'checkoutSession'] / 1000
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

/** Imports a key once: jose would import other kinds of keys for each token. */
async function tokenKey(keys: SecretKeys): Promise<webcrypto.CryptoKey> {
  const key = keys.derive('checkout-token')
  const hmac = { name: 'HMAC', hash: 'SHA-256' }
  return await crypto.subtle.importKey('raw', key, hmac, false, ['sign', 'verify'])
}
