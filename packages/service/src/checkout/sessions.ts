/**
 * Opens checkout sessions with `id` and `clientSecret`, and reads the session of a request. A token is valid for one
 * intent and one origin of the shop: 15 minutes for the private API, an hour as the cookie of a full page.
 *
 * @module
 */
import type { OpenSessionBody } from '../../shared/checkout-api.ts'
import type { Call } from '../http/call.ts'
import { ProblemError } from '../http/problem.ts'
import { singleHeader } from '../http/single-header.ts'
import { opens } from '../intents/client-secret.ts'
import { lifetimes } from '../intents/lifetimes.ts'
import { type IntentStore, load, type Snapshot } from '../intents/store.ts'
import type { SecretKeys } from '../secret-keys.ts'
import { readToken, signToken } from '../signed-token.ts'
import { checkoutApiError } from './api-errors.ts'

interface CheckoutSession {
  readonly id: string
  readonly environmentId: string
  /** Origin of the page around the hosted page, or to which the full page returns. */
  readonly origin: string
}

/** What a token is for: the private API, or the cookie of a full page. */
type TokenUse = 'checkout-api' | 'checkout'

export interface VerifiedSession extends CheckoutSession {
  readonly expiresAt: Date
}

/** Opens a session. An unknown `id` and an invalid `clientSecret` get the same response. */
export async function openSession(
  {
    intents,
    keys,
    tokens,
    limit,
  }: {
    readonly intents: IntentStore
    readonly keys: SecretKeys
    readonly tokens: SessionTokens
    /** Counts a session of an intent. Called with a valid `clientSecret` only. */
    readonly limit: (intentId: string) => void
  },
  { id, clientSecret, origin }: OpenSessionBody,
): Promise<{ readonly token: string; readonly expiresAt: string; readonly snapshot: Snapshot }> {
  const snapshot = await load(intents, id)
  if (!snapshot) throw rejected('unknown_intent')
  const { environment, intent, at } = snapshot
  if (!opens(keys, intent, { candidate: clientSecret, at })) {
    throw rejected(intent.secretSalt === null ? 'revoked_secret' : 'wrong_or_old_secret')
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
  return { ...tokens.sign(session, intents.now()), snapshot }
}

/** Returns the error for an invalid handoff. Only the log names the rule. */
function rejected(rule: string): ProblemError {
  return Object.assign(checkoutApiError('payment_intent_not_found'), { rule })
}

/** Returns the reader of sessions. */
export function sessionReader(intents: IntentStore, tokens: SessionTokens) {
  return {
    /** Verifies the token of a request without the store. @throws {ProblemError} `invalid_session` */
    verify: (call: Call): VerifiedSession => {
      const sent = singleHeader(call.request, 'authorization')
      const [, token] = /^Bearer +([\w.~+/-]+=*)$/i.exec(sent ?? '') ?? []
      const session = token && tokens.verify(token, intents.now())
      if (!session) throw sessionEnded(sent ? 'Bearer error="invalid_token"' : 'Bearer')
      call.isKnown = true
      return session
    },
    /**
     * Reads the intent of a session, which ends when its origin or its secret is revoked.
     *
     * @throws {ProblemError} `invalid_session`
     */
    read: async ({ id, environmentId, origin }: VerifiedSession): Promise<Snapshot> => {
      const snapshot = await load(intents, id)
      const isActive =
        snapshot?.environment.id === environmentId &&
        snapshot.environment.allowedOrigins.includes(origin) &&
        snapshot.intent.secretSalt !== null
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

/** Signs and verifies the tokens of one use. They are valid at this public origin only. */
export function sessionTokens(keys: SecretKeys, publicUrl: string, use: TokenUse) {
  const context = `${publicUrl}/${use}`
  const lifetime = lifetimes[use === 'checkout' ? 'fullPage' : 'checkoutSession']
  return {
    sign: (
      { id, environmentId, origin }: CheckoutSession,
      now: Date,
    ): { readonly token: string; readonly expiresAt: string } => {
      const expiresAt = new Date(now.getTime() + lifetime).toISOString()
      const session = JSON.stringify({ id, environmentId, origin, expiresAt })
      const body = Buffer.from(session).toString('base64url')
      return { token: signToken(keys, 'checkout-token', { context, body }), expiresAt }
    },
    verify: (token: string, now: Date): VerifiedSession | undefined => {
      const body = readToken(keys, 'checkout-token', { context, token })
      if (body === undefined) return undefined
      // Only `sign` creates bodies.
      const session: SignedSession = JSON.parse(Buffer.from(body, 'base64url').toString())
      const expiresAt = new Date(session.expiresAt)
      const left = expiresAt.getTime() - now.getTime()
      // More is left if a clock was set back.
      return left > 0 && left <= lifetime + tolerance ? { ...session, expiresAt } : undefined
    },
  }
}

/** Milliseconds by which the clocks of two instances may differ. */
const tolerance = 5000

export type SessionTokens = ReturnType<typeof sessionTokens>

interface SignedSession extends CheckoutSession {
  readonly expiresAt: string
}
