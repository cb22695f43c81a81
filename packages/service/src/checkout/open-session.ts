/**
 * From a pair to a session, and from a session's token back to whom it speaks for.
 *
 * @module
 */
import type { Request } from 'express'
import type { z } from 'zod'
import type { Context } from '../context.ts'
import type { Queryable } from '../db/database.ts'
import { onlyHeader } from '../http/only-header.ts'
import { ProblemError } from '../http/problem.ts'
import { opens } from '../intents/client-secret.ts'
import type { Environment } from '../merchants/environments.ts'
import type { OpenedSession } from './display-view.ts'
import { refused } from './refused.ts'
import type { OpenSession } from './requests.ts'
import type { CheckoutSession, SessionTokens } from './session.ts'
import { environmentOf, standingOf } from './standing.ts'
import { displayView } from './view.ts'

/** Trades the secret for a session. Every pair that is not accepted gets the same answer. */
export async function openSession(
  context: Context,
  tokens: SessionTokens,
  { id, clientSecret, origin }: z.infer<typeof OpenSession>,
): Promise<OpenedSession> {
  const environmentId = await environmentOf(context.db, id)
  const standing = environmentId && (await standingOf(context, { environmentId, id }))
  if (!standing) throw rejected('unknown_intent')
  const { environment, intent, at } = standing
  if (!opens(context.keys, intent, { candidate: clientSecret, at })) {
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
  const signed = await tokens.sign(session, context.now())
  return { ...signed, intent: displayView(context, standing) }
}

/** The response is the same for each rule; the log names it. */
function rejected(rule: string): ProblemError {
  return Object.assign(refused('payment_intent_not_found'), { rule })
}

/** A session that is open, and the environment of its intent. */
export interface ActiveSession extends CheckoutSession {
  readonly mode: Environment['mode']
}

/**
 * Reads the session of a request. The store is read each time, so a session ends with the first
 * request after its origin was removed or the intent's `clientSecret` was revoked.
 *
 * @throws {ProblemError} `invalid_session`: the page asks the element for the secret and opens a new one.
 */
export async function sessionOf(
  request: Request,
  { tokens, context }: { readonly tokens: SessionTokens; readonly context: Context },
): Promise<ActiveSession> {
  const sent = onlyHeader(request, 'authorization')
  const [, token] = /^Bearer ([\w.~+/-]+=*)$/.exec(sent ?? '') ?? []
  const session = token && (await tokens.verify(token, context.now()))
  const mode = session && (await modeOf(context.db, session))
  if (session && mode) return { ...session, mode }
  throw new ProblemError(
    'invalid_session',
    'The checkout session has ended; open a new one with the clientSecret.',
    { headers: { 'www-authenticate': sent ? 'Bearer error="invalid_token"' : 'Bearer' } },
  )
}

/** @returns `undefined` if what opened the session would open none now. */
async function modeOf(
  db: Queryable,
  { id, environmentId, origin }: CheckoutSession,
): Promise<Environment['mode'] | undefined> {
  const [found] = await db.query<{ mode: Environment['mode']; open: boolean }>`
    select e.mode, i.secret_salt is not null and e.id = ${environmentId}
             and ${origin} = any(e.allowed_origins) as open
      from payment_intents i join environments e on e.id = i.environment_id
     where i.id = ${id}`
  return found?.open ? found.mode : undefined
}
