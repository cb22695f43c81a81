/**
 * The hosted page's private API: no CORS, no cookies, a session token for everything but its start.
 *
 * @module
 */
import { limits } from '@pi-checkout/contract'
import { type Request, type RequestHandler, type Response, Router } from 'express'
import type { z } from 'zod'
import type { ChallengeTicket } from '../../shared/checkout-api.ts'
import type { Context } from '../context.ts'
import { checkBodyHeaders, jsonBody } from '../http/body.ts'
import { jsonHeaders } from '../http/headers.ts'
import { only } from '../http/method-not-allowed.ts'
import { ProblemError } from '../http/problem.ts'
import { buckets, type Rate, type RateLimits } from '../http/rate-limit.ts'
import { requestId } from '../http/request-id.ts'
import { type Cause, decide } from '../intents/lifecycle.ts'
import { moveIntent } from '../intents/store.ts'
import { logError } from '../log.ts'
import type { Notifier } from '../notifier/notifier.ts'
import { authorise } from '../provider/acquirer.ts'
import { abandonment, openChallenge } from './challenge.ts'
import { confirm } from './confirm.ts'
import { type ActiveSession, openSession, readSessions } from './open-session.ts'
import { refused } from './refused.ts'
import { cspReports } from './reports.ts'
import {
  Confirm,
  Nothing,
  OpenChallenge,
  OpenSession,
  readRequest,
  refusePastExpiry,
  refuseRealCards,
} from './requests.ts'
import { readReturnUrl } from './return-url.ts'
import { samePage } from './same-page.ts'
import { type CheckoutSession, SessionTokens } from './session.ts'
import {
  type ReadStanding,
  type ReadStandings,
  readStandings,
  type Standing,
  standingOf,
} from './standing.ts'
import { displayView } from './view.ts'
import { waitForVersion } from './wait-for-version.ts'

/** What the private API needs besides the context. */
export interface CheckoutParts {
  readonly notifier: Notifier
  /** The service stops: a response ends its connection, so that no other request is sent on it. */
  readonly stopping: AbortSignal
  readonly limits: Pick<RateLimits, 'confirm'>
}

/** Returns the router of everything under `/checkout-api`. */
export function checkoutApi(
  context: Context,
  { notifier, stopping, limits: rates }: CheckoutParts,
): Router {
  const read = readStandings(context)
  const opens = buckets(openRate, () => context.now().getTime())
  const tokens = new SessionTokens(context.keys, context.publicUrl)
  const sessionOf = readSessions({ tokens, context })
  const router = Router({ caseSensitive: true, strict: true })
  router.post('/reports', cspReports(context))
  router.use(samePage(context.publicUrl))

  router.post('/session', async (request, response) => {
    const body = await readBody(request, OpenSession)
    const session = openSession(context, tokens, body).catch((error: unknown) => {
      if (error instanceof ProblemError) {
        const event = 'A handoff was rejected'
        logError(context.log, error, { event, requestId: requestId(response), level: 'warn' })
      }
      throw error
    })
    send(response, await session)
  })

  router.get('/intent', async (request, response) => {
    const session = await sessionOf(request)
    const version = readVersion(request)
    // The header is the token that the session was read from.
    const holder = request.headers.authorization ?? ''
    const readAgain: ReadStandings = async (key) => {
      // The session may have been revoked during the wait.
      await sessionOf(request)
      return await read(key)
    }
    const standing =
      version === undefined
        ? await read(session)
        : await waitForVersion({ read: readAgain, notifier }, session, {
            version,
            holder,
            signal: endOf(response),
          })
    if (stopping.aborted) response.shouldKeepAlive = false
    send(response, displayView(context, existing(standing)))
  })

  const act = <Body>(
    schema: z.ZodType<Body>,
    action: (session: CheckoutSession, body: Body) => Promise<object>,
    limit?: (session: ActiveSession, request: Request) => void,
  ): RequestHandler => {
    return async (request, response) => {
      checkBodyHeaders(request, limits.requestBytes)
      const session = await sessionOf(request)
      limit?.(session, request)
      send(response, await action(session, await readBody(request, schema)))
    }
  }

  const confirmCard = async (session: CheckoutSession, body: Confirm): Promise<object> => {
    refusePastExpiry(body, context.now())
    const authorisation = authorise(body.paymentMethod.card)
    if (!authorisation) throw new TypeError('a card passed that is not a test card')
    const { attemptId, version } = body
    const confirmed = await confirm(context, session, { attemptId, version, authorisation })
    if ('refusal' in confirmed) throw refused(confirmed.refusal)
    return displayView(context, confirmed.standing)
  }
  const limitConfirms = ({ id, environmentId, mode }: ActiveSession, request: Request): void =>
    rates.confirm({ intentId: id, environment: { id: environmentId, mode }, request })
  router.post('/confirm', act(Confirm, confirmCard, limitConfirms))

  router.post(
    '/challenge/open',
    act(
      OpenChallenge,
      async (session, { returnUrl }) => await challengeTicket(context, session, returnUrl),
      // Each opening is a row in the store, until the intent is final.
      ({ id }) => opens.take(id),
    ),
  )

  router.post(
    '/challenge/cancel',
    act(Nothing, async (session) =>
      displayView(context, await move(context, session, abandonment())),
    ),
  )

  router.post(
    '/cancel',
    act(Nothing, async (session) =>
      displayView(context, await move(context, session, { type: 'canceled' })),
    ),
  )
  router.all('/reports', only('POST'))
  router.all('/session', only('POST'))
  router.all('/intent', only('GET, HEAD'))
  router.all('/confirm', only('POST'))
  router.all('/challenge/open', only('POST'))
  router.all('/challenge/cancel', only('POST'))
  router.all('/cancel', only('POST'))
  return router
}

/** How often the challenge of one intent is opened. */
const openRate: Rate = { burst: 20, perSecond: 20 / 60 }

async function challengeTicket(
  context: Context,
  session: CheckoutSession,
  returnUrl: string | undefined,
): Promise<ChallengeTicket> {
  const standing = existing(await standingOf(context, session))
  const { nextAction } = displayView(context, standing)
  if (!nextAction) throw refused('version_conflict')
  const page = nextAction.type === 'redirect' ? returnPage(standing, returnUrl) : null
  const { origin } = session
  const token = await openChallenge(context, standing, { origin, returnPage: page })
  if (!token) throw refused('version_conflict')
  return { url: nextAction.url, token }
}

function returnPage({ environment }: Standing, returnUrl: string | undefined): string {
  const page = returnUrl && readReturnUrl(returnUrl, environment.allowedOrigins)
  if (page) return page
  throw new ProblemError(
    'origin_not_allowed',
    'returnUrl must be an address on a registered origin: https, or http on loopback.',
  )
}

/** Applies a cause that the buyer gives; asked again, it changes nothing. */
async function move(context: Context, session: CheckoutSession, cause: Cause): Promise<Standing> {
  const standing = existing(await standingOf(context, session))
  const { intent, at } = standing
  if (isDone(cause, standing)) return standing
  const next = decide(intent, cause, at)
  if ('refusal' in next) throw refused(next.refusal)
  const moved = await moveIntent(context.db, intent, next)
  return moved ? { ...standing, intent: moved } : await move(context, session, cause)
}

/** A cancel whose answer was lost is sent again: it finds its own work done. */
function isDone(cause: Cause, { intent: { status } }: Standing): boolean {
  if (cause.type === 'canceled') return status === 'canceled'
  return cause.type === 'challenge_failed' && status === 'requires_payment_method'
}

async function readBody<T>(request: Request, schema: z.ZodType<T>): Promise<T> {
  const body = await jsonBody(request)
  refuseRealCards(body)
  return readRequest(schema, body)
}

/** `?waitForVersion=7`. Everything else in the query is ignored. */
function readVersion(request: Request): number | undefined {
  const text = new URL(request.url, 'http://localhost').searchParams.get('waitForVersion')
  if (text === null) return undefined
  if (/^\d{1,9}$/.test(text)) return Number(text)
  throw new ProblemError('validation_failed', 'waitForVersion must be a whole number.')
}

/** Aborts when the client has gone. */
function endOf(response: Response): AbortSignal {
  const end = new AbortController()
  if (response.destroyed) end.abort()
  else response.once('close', () => end.abort())
  return end.signal
}

function existing<Found extends ReadStanding>(standing: Found | undefined): Found {
  if (!standing) throw refused('payment_intent_not_found')
  return standing
}

function send(response: Response, body: object): void {
  if (response.destroyed) return
  response.writeHead(200, jsonHeaders).end(JSON.stringify(body))
}
