/** The session of a buyer's page: opens it with `id` and `clientSecret`, and reads, changes, and shows its intent. @module */
import type { FastifyRequest } from 'fastify'
import type { CheckoutView, OpenSessionBody } from '../../shared/checkout-api.ts'
import { ProblemError, unauthorized } from '../http/problem.ts'
import { createBuckets, type Rate } from '../http/rate-limit.ts'
import { opens } from '../intents/client-secret.ts'
import type { Cause, Rejection } from '../intents/lifecycle.ts'
import type { IntentStore, Snapshot } from '../intents/store.ts'
import { checkoutView } from '../intents/views.ts'
import type { SecretKeys } from '../secret-keys.ts'
import { createTokens, type TokenSubject, type Verified } from '../tokens.ts'

declare module 'fastify' {
  interface FastifyRequest {
    /** Session of a request of the private API, and its intent as it was when the request arrived. */
    readonly checkout: { readonly session: Verified; readonly snapshot: Snapshot }
  }
}

export type Sessions = ReturnType<typeof createSessions>

/** Sessions of one intent. A page opens one for each load. */
const sessionRate: Rate = { burst: 100, perSecond: 1 }

/** @param challengeUrl - Origin of the test bank. */
export function createSessions({
  intents,
  keys,
  now,
  challengeUrl,
}: {
  readonly intents: IntentStore
  readonly keys: SecretKeys
  readonly now: () => Date
  readonly challengeUrl: string
}) {
  const { sign, verify } = createTokens(keys, now)
  const limit = createBuckets(sessionRate, now).take

  /** Verifies the token of a request without the store. @throws {ProblemError} `invalid_session` */
  async function ofRequest({ headers }: FastifyRequest): Promise<Verified> {
    const { authorization: sent } = headers
    const [, token] = /^Bearer +([\w.~+/-]+=*)$/i.exec(sent ?? '') ?? []
    const session = token && (await verify('session', token))
    if (!session) throw sessionEnded(sent ? undefined : 'Bearer')
    return session
  }

  /** Reads the intent of a session. @throws {ProblemError} If its origin or its secret was revoked. */
  async function read({ id, origin }: TokenSubject): Promise<Snapshot> {
    const snapshot = await intents.load(id)
    const isActive =
      snapshot?.environment.allowedOrigins.includes(origin) && snapshot.intent.revokedAt === null
    if (snapshot && isActive) return snapshot
    throw sessionEnded()
  }

  const view = ({ intent, environment }: Snapshot): CheckoutView =>
    checkoutView(intent, environment, challengeUrl)

  return {
    sign,
    verify,
    ofRequest,
    read,
    view,
    /** Counts a session of an intent. */
    limit,
    /** Opens a session. An unknown `id` and an invalid `clientSecret` get the same response. */
    open: async (
      purpose: 'session' | 'full-page',
      { id, clientSecret, origin }: OpenSessionBody,
    ) => {
      const snapshot = await intents.load(id)
      const isValid =
        snapshot && opens(keys, snapshot.intent, { candidate: clientSecret, at: snapshot.at })
      if (!isValid) throw actionError('payment_intent_not_found')
      limit(id)
      if (!snapshot.environment.allowedOrigins.includes(origin)) {
        throw new ProblemError(
          'origin_not_allowed',
          'The origin of the page around the checkout is not registered. Run pi-service origins add.',
        )
      }
      return { token: await sign(purpose, { id, origin }), snapshot }
    },
    /** Reads session and intent of a request before its body. */
    enter: async (request: FastifyRequest): Promise<void> => {
      const session = await ofRequest(request)
      Object.assign(request, { checkout: { session, snapshot: await read(session) } })
    },
    /** Changes the intent of a session, and returns what its page may see. */
    act: async ({ checkout }: FastifyRequest, cause: Cause): Promise<CheckoutView> => {
      const changed = await intents.change(checkout.session.id, cause)
      if (!changed || changed.rejection === 'payment_intent_not_found') throw sessionEnded()
      if (changed.rejection) throw actionError(changed.rejection)
      return view(changed)
    },
  }
}

/** Returns the error for a session that is not valid, or not any more. */
export function sessionEnded(challenge?: string): ProblemError {
  const detail = 'The checkout session has ended. Open a new one with the clientSecret.'
  return unauthorized('invalid_session', detail, challenge)
}

export function actionError(code: Rejection): ProblemError {
  return new ProblemError(code, details[code])
}

const details = {
  payment_intent_not_found:
    'No Payment Intent has this id, or its clientSecret is not valid. Request a new one from the shop.',
  intent_finalized: 'The Payment Intent is final. Read it again.',
  confirmation_in_progress: 'Another confirmation is in progress. Wait for its result.',
  version_conflict: 'The Payment Intent was changed by another request. Read it again.',
} as const satisfies Record<Rejection, string>
