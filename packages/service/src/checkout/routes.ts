/** The hosted page and its private API, which uses session tokens in place of cookies and has no CORS. @module */
import { limits, paymentIntentIdPattern } from '@pi-checkout/contract'
import type { Logger } from 'pino'
import type { z } from 'zod'
import type { ConfirmBody } from '../../shared/checkout-api.ts'
import type { RouteName } from '../../shared/routes.ts'
import { checkBodyHeaders, jsonBody } from '../http/body.ts'
import type { Call } from '../http/call.ts'
import { compressed } from '../http/encoding.ts'
import { checkoutHeaders, openPageHeaders } from '../http/page-headers.ts'
import { ProblemError } from '../http/problem.ts'
import { createBuckets, type Rate, type RateLimits } from '../http/rate-limit.ts'
import { type Handler, json, page, type RouteResponse } from '../http/response.ts'
import { moveIntent, type StoreAndClock } from '../intents/intents.ts'
import { type Cause, decide } from '../intents/lifecycle.ts'
import { logError } from '../log.ts'
import { findEnvironmentOfIntent } from '../merchants/environments.ts'
import type { Notifier } from '../notifier/notifier.ts'
import { authorize } from '../provider/acquirer.ts'
import type { SecretKeys } from '../secret-keys.ts'
import { checkoutApiError } from './api-errors.ts'
import { checkoutView } from './checkout-view.ts'
import { confirm } from './confirm.ts'
import { cspReports } from './csp-reports.ts'
import {
  type IntentSnapshot,
  loadIntent,
  type RetrievedSnapshot,
  snapshotReader,
} from './intent-snapshot.ts'
import { longPoll } from './long-poll.ts'
import { type ActiveSession, openSession, sessionReader } from './open-session.ts'
import { checkoutPage, checkoutStyleSource, errorPage, readPage } from './pages.ts'
import {
  ConfirmSchema,
  EmptySchema,
  OpenChallengeSchema,
  OpenSessionSchema,
  parseBody,
  rejectPastExpiry,
  rejectRealCards,
} from './parse-request.ts'
import { challengeCanceled } from './provider-result.ts'
import { readReturnUrl } from './return-url.ts'
import { type CheckoutSession, SessionTokens } from './session-token.ts'
import { waitForVersion } from './wait-for-version.ts'
import { createWaitGroups } from './wait-groups.ts'

export interface CheckoutRoutesOptions extends StoreAndClock {
  readonly keys: SecretKeys
  readonly log: Logger
  readonly publicUrl: string
  readonly challengeUrl: string
  readonly hostedFolder: string
  readonly notifier: Notifier
  readonly limits: Pick<RateLimits, 'confirm'>
  /** Opens the challenge of an intent at the test bank. Returns its token if there is a challenge. */
  readonly openChallenge: (
    snapshot: IntentSnapshot,
    ticket: { readonly origin: string; readonly returnPage: string | null },
  ) => Promise<string | undefined>
}

export function checkoutRoutes(options: CheckoutRoutesOptions) {
  const { db, keys, log, now, publicUrl, challengeUrl, notifier } = options
  const read = snapshotReader(options)
  const opens = createBuckets(openRate, now)
  const tokens = new SessionTokens(keys, publicUrl)
  const sessions = sessionReader({ tokens, db, now })
  const waitGroup = createWaitGroups()

  const view = (snapshot: RetrievedSnapshot): RouteResponse =>
    json(checkoutView(snapshot, challengeUrl))

  /** Returns a handler for a POST with a session. `limit` runs before the body is read. */
  const post =
    <Body>(
      schema: z.ZodType<Body>,
      act: (session: CheckoutSession, body: Body) => Promise<RouteResponse>,
      limit?: (session: ActiveSession, call: Call) => void,
    ): Handler =>
    async (call) => {
      checkBodyHeaders(call.request, limits.requestBytes)
      const session = await sessions.of(call.request)
      limit?.(session, call)
      return await act(session, await readBody(call, schema))
    }

  /** Applies a cause from the buyer. A repeated one changes nothing. */
  async function move(session: CheckoutSession, cause: Cause): Promise<IntentSnapshot> {
    const snapshot = existing(await loadIntent(options, session))
    const { intent, at } = snapshot
    if (isDone(cause, snapshot)) return snapshot
    const next = decide(intent, cause, at)
    if ('rejection' in next) throw checkoutApiError(next.rejection)
    const moved = await moveIntent(db, intent, next)
    return moved ? { ...snapshot, intent: moved } : await move(session, cause)
  }

  return {
    page: pageHandler(options),
    preload: async () => page(openPageHeaders, readPage(options.hostedFolder, 'preload')),
    reports: cspReports({ log, now }),

    openSession: async (call) => {
      const body = await readBody(call, OpenSessionSchema)
      try {
        return json(await openSession({ db, keys, now, tokens, challengeUrl }, body))
      } catch (error) {
        if (error instanceof ProblemError) {
          const event = 'Rejected a checkout session'
          logError(log, error, { event, requestId: call.requestId, level: 'warn' })
        }
        throw error
      }
    },

    view: async (call) => {
      const { request } = call
      const version = readVersion(call)
      if (version !== undefined) await waitGroup()
      const session = await sessions.of(request)
      if (version === undefined) return view(existing(await read(session)))
      const wait = async (onPulse?: () => void): Promise<RouteResponse> => {
        const waited = await waitForVersion(notifier, session, {
          ...{ version, onPulse, session: signedPart(request.headers.authorization) },
          signal: endOf(call),
          lifetime: session.expiresAt.getTime() - now().getTime(),
          read: async (woken) => {
            if (woken === 'environments') await waitGroup()
            // The session may have been revoked during the wait.
            if (woken) await sessions.check(session)
            return await read(session)
          },
        })
        return view(existing(waited))
      }
      return call.query.has('keepAlive') ? await longPoll(wait) : await wait()
    },

    confirm: post(
      ConfirmSchema,
      async (session, body: ConfirmBody) => {
        rejectPastExpiry(body, now())
        const authorization = authorize(body.paymentMethod.card)
        if (!authorization) throw new TypeError('The card passed the checks but is not a test card')
        const { attemptId, version } = body
        const confirmed = await confirm(options, session, { attemptId, version, authorization })
        if ('rejection' in confirmed) throw checkoutApiError(confirmed.rejection)
        return view(confirmed.snapshot)
      },
      ({ id, environmentId, mode }, { request }) =>
        options.limits.confirm({ intentId: id, environment: { id: environmentId, mode }, request }),
    ),

    openChallenge: post(
      OpenChallengeSchema,
      async (session, { returnUrl }) => {
        const snapshot = existing(await loadIntent(options, session))
        const { nextAction } = checkoutView(snapshot, challengeUrl)
        if (!nextAction) throw checkoutApiError('version_conflict')
        const returnPage =
          nextAction.type === 'redirect' ? checkedReturnPage(snapshot, returnUrl) : null
        const token = await options.openChallenge(snapshot, { origin: session.origin, returnPage })
        if (!token) throw checkoutApiError('version_conflict')
        return json({ url: nextAction.url, token })
      },
      // Each call stores a row until the intent is final.
      ({ id }) => opens.take(id),
    ),

    cancelChallenge: post(EmptySchema, async (session) =>
      view(await move(session, challengeCanceled)),
    ),
    cancel: post(EmptySchema, async (session) => view(await move(session, { type: 'canceled' }))),
  } satisfies Partial<Record<RouteName, Handler>>
}

const openRate: Rate = { burst: 20, perSecond: 20 / 60 }

/**
 * Returns the check for the private API, which accepts calls only from the hosted page's origin. It runs
 * after the check of `Host`, so the host name is one of the service's.
 */
export function samePageCheck(publicUrl: string): (call: Call) => void {
  return ({ request }) => {
    const { origin, host, 'sec-fetch-site': site } = request.headers
    const isSame = origin === publicUrl || origin === `http://${host}`
    // Browsers send `Origin` with each POST, but not with a GET to the same origin.
    const isAllowed = origin === undefined ? request.method === 'GET' : isSame
    if (isAllowed && (site === undefined || site === 'same-origin')) return
    throw new ProblemError(
      'origin_not_allowed',
      'Only the hosted checkout page may call this. Merchants use POST /payment-intents.',
    )
  }
}

function pageHandler({
  db,
  now,
  publicUrl,
  challengeUrl,
  hostedFolder,
}: CheckoutRoutesOptions): Handler {
  const showError = (reason: Parameters<typeof errorPage>[1]): RouteResponse =>
    page(openPageHeaders, errorPage(hostedFolder, reason))

  return async (call) => {
    const { id = '' } = call.params
    const environment = paymentIntentIdPattern.test(id) && (await findEnvironmentOfIntent(db, id))
    // The response does not depend on the embedding page, so it does not reveal registered origins.
    if (!environment) return showError({ code: 'unauthorized' })
    const { allowedOrigins: registered, mode } = environment
    const embedder = embeddingOrigin(call.request.headers.referer, publicUrl)
    if (embedder !== undefined && !registered.includes(embedder)) {
      return showError({ code: 'origin_not_allowed', mode })
    }
    return compressed(
      call,
      page(
        checkoutHeaders({
          ...{ frameAncestors: registered, publicOrigin: publicUrl },
          challengeOrigin: challengeUrl,
          styleSource: checkoutStyleSource(hostedFolder),
        }),
        checkoutPage(hostedFolder, { registered, mode, now: now() }),
      ),
    )
  }
}

/** Returns the origin of the embedding page, or `undefined` if it is unknown or the service's origin. */
function embeddingOrigin(referer: string | undefined, publicUrl: string): string | undefined {
  if (!referer || !URL.canParse(referer)) return undefined
  const { origin } = new URL(referer)
  return origin === publicUrl ? undefined : origin
}

function checkedReturnPage({ environment }: IntentSnapshot, returnUrl: string | undefined): string {
  const page = returnUrl && readReturnUrl(returnUrl, environment.allowedOrigins)
  if (page) return page
  throw new ProblemError(
    'origin_not_allowed',
    'returnUrl must be an address on a registered origin, with https, or with http on loopback.',
  )
}

/** Returns whether a cancel is a repetition, which a page sends after a lost response. */
function isDone(cause: Cause, { intent: { status } }: IntentSnapshot): boolean {
  if (cause.type === 'canceled') return status === 'canceled'
  return cause.type === 'challenge_failed' && status === 'requires_payment_method'
}

async function readBody<T>({ request }: Call, schema: z.ZodType<T>): Promise<T> {
  const body = await jsonBody(request)
  rejectRealCards(body)
  return parseBody(schema, body)
}

/** Reads the query, such as `?waitForVersion=7`. Ignores other parameters. */
function readVersion({ query }: Call): number | undefined {
  const text = query.get('waitForVersion')
  if (text === null) return undefined
  if (/^\d{1,9}$/.test(text)) return Number(text)
  throw new ProblemError('validation_failed', 'waitForVersion must have 1 to 9 digits.')
}

/** Returns the header without the token's signature, which a client can encode in several ways. */
function signedPart(authorization = ''): string {
  return authorization.slice(0, authorization.lastIndexOf('.'))
}

function endOf({ response }: Call): AbortSignal {
  const end = new AbortController()
  // A reason, because creating the default one with its stack takes longer than all else here.
  if (response.destroyed) end.abort('closed')
  else response.once('close', () => end.abort('closed'))
  return end.signal
}

function existing<Found extends RetrievedSnapshot>(snapshot: Found | undefined): Found {
  if (!snapshot) throw checkoutApiError('payment_intent_not_found')
  return snapshot
}
