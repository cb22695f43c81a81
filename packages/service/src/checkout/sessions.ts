/** Opens checkout sessions with `id` and `clientSecret`, and reads the session of a request. @module */
import type { OpenSessionBody } from '../../shared/checkout-api.ts'
import type { Call } from '../http/call.ts'
import { ProblemError } from '../http/problem.ts'
import { singleHeader } from '../http/single-header.ts'
import { load, type Snapshot } from '../intents/change.ts'
import { opens } from '../intents/client-secret.ts'
import type { IntentStore } from '../intents/store.ts'
import type { SecretKeys } from '../secret-keys.ts'
import { checkoutApiError } from './api-errors.ts'
import type { SessionTokens, VerifiedSession } from './session-token.ts'

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
    verify: async (call: Call): Promise<VerifiedSession> => {
      const sent = singleHeader(call.request, 'authorization')
      const [, token] = /^Bearer +([\w.~+/-]+=*)$/i.exec(sent ?? '') ?? []
      const session = token && (await tokens.verify(token, intents.now()))
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
