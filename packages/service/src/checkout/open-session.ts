/** Opens checkout sessions with `id` and `clientSecret`, and reads the session of a request. @module */
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
import type { CheckoutSession, SessionTokens, VerifiedSession } from './session-token.ts'

/** Opens a session. An unknown `id` and an invalid `clientSecret` get the same response. */
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
      'The origin of the page around the checkout is not registered. Run pi-service origins add.',
    )
    throw Object.assign(problem, { rule: 'unregistered_origin' })
  }
  const session = { id, environmentId: environment.id, origin }
  const signed = await tokens.sign(session, now())
  return { ...signed, intent: checkoutView(snapshot, challengeUrl) }
}

/** Returns the error for an invalid handoff. Only the log names the rule. */
function rejected(rule: string): ProblemError {
  return Object.assign(checkoutApiError('payment_intent_not_found'), { rule })
}

export interface ActiveSession extends VerifiedSession {
  readonly mode: Environment['mode']
}

/** Returns the reader of sessions. Concurrent requests share a statement. */
export function sessionReader({
  tokens,
  db,
  now,
}: StoreAndClock & { readonly tokens: SessionTokens }) {
  const modeOf = batch({
    run: async (sessions: readonly CheckoutSession[]) => await modesOf(db, sessions),
    separable: () => false,
    kind: db.kind,
  })
  /** Reads the store each time, so a session ends when its origin or its secret is revoked. */
  async function check(session: VerifiedSession): Promise<ActiveSession> {
    const mode = await modeOf(session)
    if (!mode) throw ended('Bearer error="invalid_token"')
    return { ...session, mode }
  }
  return {
    check,
    /** Reads the session of a request. @throws {ProblemError} `invalid_session` */
    of: async (request: IncomingMessage): Promise<ActiveSession> => {
      const sent = singleHeader(request, 'authorization')
      const [, token] = /^Bearer ([\w.~+/-]+=*)$/.exec(sent ?? '') ?? []
      const session = token && (await tokens.verify(token, now()))
      if (!session) throw ended(sent ? 'Bearer error="invalid_token"' : 'Bearer')
      return await check(session)
    },
  }
}

function ended(challenge: string): ProblemError {
  return new ProblemError(
    'invalid_session',
    'The checkout session has ended. Open a new one with the clientSecret.',
    { headers: { 'www-authenticate': challenge } },
  )
}

/** Returns the mode for each session, or `undefined` if its origin or `clientSecret` is no longer valid. */
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
