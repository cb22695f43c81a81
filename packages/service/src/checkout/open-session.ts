/**
 * From `id` and `clientSecret` to a session, and from a session's token back to the session.
 *
 * @module
 */
import type { IncomingMessage } from 'node:http'
import type { OpenSessionBody, SessionGrant } from '../../shared/checkout-api.ts'
import { batch } from '../db/batch.ts'
import type { Queryable } from '../db/database.ts'
import { ProblemError } from '../http/problem.ts'
import { singleHeader } from '../http/single-header.ts'
import { opens } from '../intents/client-secret.ts'
import type { StoreAndClock } from '../intents/intents.ts'
import type { Environment } from '../merchants/environments.ts'
import type { SecretKeys } from '../secret-keys.ts'
import { checkoutApiError } from './api-errors.ts'
import { checkoutView } from './checkout-view.ts'
import { loadIntent } from './intent-snapshot.ts'
import type { CheckoutSession, SessionTokens } from './session-token.ts'

/** Opens a session. Every `id` and `clientSecret` that are not accepted get the same response. */
export async function openSession(
  {
    db,
    keys,
    now,
    tokens,
    challengeUrl,
  }: StoreAndClock & {
    readonly keys: SecretKeys
    readonly tokens: SessionTokens
    readonly challengeUrl: string
  },
  { id, clientSecret, origin }: OpenSessionBody,
): Promise<SessionGrant> {
  const snapshot = await loadIntent({ db, now }, { id })
  if (!snapshot) throw rejected('unknown_intent')
  const { environment, intent, at } = snapshot
  if (!opens(keys, intent, { candidate: clientSecret, at })) {
    throw rejected(intent.secretSalt === null ? 'revoked_secret' : 'wrong_or_old_secret')
  }
  if (!environment.allowedOrigins.includes(origin)) {
    const problem = new ProblemError(
      'origin_not_allowed',
      'The page around the checkout is of an origin that is not registered; run pi-service origins add.',
    )
    throw Object.assign(problem, { rule: 'unregistered_origin' })
  }
  const session = { id, environmentId: environment.id, origin }
  const signed = await tokens.sign(session, now())
  return { ...signed, intent: checkoutView(snapshot, challengeUrl) }
}

/** The response is the same for each rule; the log names it. */
function rejected(rule: string): ProblemError {
  return Object.assign(checkoutApiError('payment_intent_not_found'), { rule })
}

/** A session that is open, and the environment of its intent. */
export interface ActiveSession extends CheckoutSession {
  readonly mode: Environment['mode']
}

/**
 * Returns the function that reads the session of a request. The store is read each time, many requests
 * in one statement, so a session ends with the first request after its origin was removed or the
 * intent's `clientSecret` was revoked.
 *
 * @throws {ProblemError} `invalid_session`: the page asks the element for the secret and opens a new one.
 */
export function sessionReader({
  tokens,
  db,
  now,
}: StoreAndClock & { readonly tokens: SessionTokens }): (
  request: IncomingMessage,
) => Promise<ActiveSession> {
  const modeOf = batch({
    run: async (sessions: readonly CheckoutSession[]) => await modesOf(db, sessions),
    separable: () => false,
    kind: db.kind,
  })
  return async (request) => {
    const sent = singleHeader(request, 'authorization')
    const [, token] = /^Bearer ([\w.~+/-]+=*)$/.exec(sent ?? '') ?? []
    const session = token && (await tokens.verify(token, now()))
    const mode = session && (await modeOf(session))
    if (session && mode) return { ...session, mode }
    throw new ProblemError(
      'invalid_session',
      'The checkout session has ended; open a new one with the clientSecret.',
      { headers: { 'www-authenticate': sent ? 'Bearer error="invalid_token"' : 'Bearer' } },
    )
  }
}

/** @returns `undefined` for each session whose origin and secret would not open one now. */
async function modesOf(
  db: Queryable,
  sessions: readonly CheckoutSession[],
): Promise<readonly (Environment['mode'] | undefined)[]> {
  const found = await db.query<SessionRow>`
    select i.id, i.environment_id as "environmentId", e.mode, e.allowed_origins as origins
      from payment_intents i join environments e on e.id = i.environment_id
     where i.id = any(${[...new Set(sessions.map(({ id }) => id))]}) and i.secret_salt is not null`
  const byId = new Map(found.map((row) => [row.id, row]))
  return sessions.map(({ id, environmentId, origin }) => {
    const row = byId.get(id)
    if (row?.environmentId !== environmentId || !row.origins.includes(origin)) return undefined
    return row.mode
  })
}

interface SessionRow {
  readonly id: string
  readonly environmentId: string
  readonly mode: Environment['mode']
  readonly origins: readonly string[]
}
