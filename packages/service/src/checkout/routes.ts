/** The hosted page and its private API, which uses session tokens in place of cookies and has no CORS. @module */
import { limits } from '@pi-checkout/contract'
import type { Logger } from 'pino'
import type { z } from 'zod'
import type { ConfirmBody, SessionGrant } from '../../shared/checkout-api.ts'
import type { RouteName } from '../../shared/routes.ts'
import { checkBodyHeaders, jsonBody } from '../http/body.ts'
import type { Call } from '../http/call.ts'
import { compressed } from '../http/encoding.ts'
import { checkoutHeaders, openPageHeaders } from '../http/page-headers.ts'
import { ProblemError } from '../http/problem.ts'
import { createBuckets, type Rate, type RateLimits } from '../http/rate-limit.ts'
import { type Handler, json, page, type RouteResponse } from '../http/response.ts'
import { intentIdPattern, newProviderPaymentId } from '../ids.ts'
import { hashOfToken, newToken } from '../intents/challenge-token.ts'
import type { Cause } from '../intents/lifecycle.ts'
import { change, type IntentStore, type Snapshot } from '../intents/store.ts'
import { checkoutView } from '../intents/views.ts'
import { logError } from '../log.ts'
import { authorize } from '../provider/acquirer.ts'
import type { SecretKeys } from '../secret-keys.ts'
import { longPoll } from '../waiting/long-poll.ts'
import type { Waits } from '../waiting/waits.ts'
import { checkoutApiError } from './api-errors.ts'
import { fullPage, readFullPage } from './full-page.ts'
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
import { readReturnUrl } from './return-url.ts'
import {
  openSession,
  SessionTokens,
  sessionEnded,
  sessionReader,
  type VerifiedSession,
} from './sessions.ts'

export interface CheckoutRoutesOptions {
  readonly intents: IntentStore
  readonly now: () => Date
  readonly keys: SecretKeys
  readonly log: Logger
  readonly publicUrl: string
  readonly challengeUrl: string
  readonly hostedFolder: string
  readonly waits: Waits
  readonly limits: Pick<RateLimits, 'confirm'>
}

export function checkoutRoutes(options: CheckoutRoutesOptions) {
  const { intents, keys, log, now, publicUrl, challengeUrl, waits } = options
  const opens = createBuckets(openRate, now)
  const sessionLimit = createBuckets(sessionRate, now)
  const tokens = new SessionTokens(keys, publicUrl)
  const sessions = sessionReader(intents, tokens)
  const full = fullPage({
    ...options,
    intents,
    tokens: new SessionTokens(keys, publicUrl, 'checkout'),
    limit: sessionLimit.take,
  })

  const view = (snapshot: Snapshot): RouteResponse => json(checkoutView(snapshot, challengeUrl))

  /** Returns a handler for a POST with a session. `limit` runs before the body is read. */
  const post =
    <Body>(
      schema: z.ZodType<Body>,
      act: (session: VerifiedSession, body: Body, snapshot: Snapshot) => Promise<RouteResponse>,
      limit?: (snapshot: Snapshot, call: Call) => void,
    ): Handler =>
    async (call) => {
      checkBodyHeaders(call.request, limits.requestBytes)
      const session = await sessions.verify(call)
      const snapshot = await sessions.read(session)
      limit?.(snapshot, call)
      return await act(session, await readBody(call, schema), snapshot)
    }

  /** Changes the intent of a session. */
  async function act({ id }: VerifiedSession, cause: Cause): Promise<Snapshot> {
    const changed = await change(intents, id, cause)
    if (!changed || changed.rejection === 'payment_intent_not_found') throw sessionEnded()
    if (changed.rejection) throw checkoutApiError(changed.rejection)
    return changed
  }

  return {
    page: pageHandler(options, intents),
    openFullPage: full.open,
    fullPage: full.show,
    fullPageSession: async (call) => {
      await readBody(call, EmptySchema, maxSessionBytes)
      const session = await full.sessionOf(call)
      if (!session) throw sessionEnded()
      const intent = checkoutView(await sessions.read(session), challengeUrl)
      sessionLimit.take(session.id)
      const grant: SessionGrant = { ...(await tokens.sign(session, now())), intent }
      return json(grant)
    },
    preload: async () => page(openPageHeaders, readPage(options.hostedFolder, 'preload')),

    openSession: async (call) => {
      const body = await readBody(call, OpenSessionSchema, maxSessionBytes)
      try {
        const granted = { intents, keys, tokens, limit: sessionLimit.take }
        const { token, expiresAt, snapshot } = await openSession(granted, body)
        const grant: SessionGrant = {
          token,
          expiresAt,
          intent: checkoutView(snapshot, challengeUrl),
        }
        return json(grant)
      } catch (error) {
        if (error instanceof ProblemError) {
          const event = 'Rejected a checkout session'
          logError(log, error, { event, requestId: call.requestId, level: 'warn' })
        }
        throw error
      }
    },

    view: async (call) => {
      const version = readVersion(call)
      const session = await sessions.verify(call)
      const read = async (): Promise<Snapshot> => await sessions.read(session)
      if (version === undefined) return view(await read())
      const { id: intentId, origin, expiresAt } = session
      const lifetime = expiresAt.getTime() - now().getTime()
      const awaited = { intentId, origin, version, lifetime, read, signal: endOf(call) }
      return await longPoll(async (onPulse) => view(await waits.wait({ ...awaited, onPulse })))
    },

    confirm: post(
      ConfirmSchema,
      async (session, body: ConfirmBody) => {
        rejectPastExpiry(body, now())
        const authorization = authorize(body.paymentMethod.card)
        if (!authorization) throw new TypeError('The card passed the checks but is not a test card')
        const { confirmationId, version } = body
        const providerPaymentId = newProviderPaymentId()
        const confirmation = { confirmationId, version, authorization, providerPaymentId }
        return view(await act(session, { type: 'confirmed', ...confirmation }))
      },
      ({ intent, environment }, { request }) =>
        options.limits.confirm({ intentId: intent.id, environment, request }),
    ),

    openChallenge: post(
      OpenChallengeSchema,
      async (session, { returnUrl }, snapshot) => {
        const { id, origin } = session
        const { nextAction } = checkoutView(snapshot, challengeUrl)
        if (!nextAction) throw checkoutApiError('version_conflict')
        const isRedirect = nextAction.type === 'redirect'
        const returnPage = isRedirect ? checkedReturnPage({ publicUrl, snapshot }, returnUrl) : null
        const token = newToken(keys, id, 'enter')
        const opened = { token: hashOfToken(token), origin, returnPage }
        await act(session, { type: 'challenge_opened', ...opened })
        return json({ url: nextAction.url, token })
      },
      ({ intent }) => opens.take(intent.id),
    ),

    cancelChallenge: post(EmptySchema, async (session) =>
      view(await act(session, { type: 'challenge_canceled' })),
    ),
    cancel: post(EmptySchema, async (session) => view(await act(session, { type: 'canceled' }))),
  } satisfies Partial<Record<RouteName, Handler>>
}

const openRate: Rate = { burst: 20, perSecond: 20 / 60 }
/** Sessions of one intent. A page opens one for each load. */
export const sessionRate: Rate = { burst: 100, perSecond: 1 }
/** No field of this body is long, and the body is read before its `clientSecret` is known to be valid. */
const maxSessionBytes = 4096

/**
 * Returns the check for the private API, which accepts calls only from the hosted page's origin. It runs
 * after the check of `Host`, so the host name is one of the service's.
 */
export function samePageCheck(publicUrl: string): (call: Call) => void {
  return ({ request }) => {
    const { origin, host, 'sec-fetch-site': site } = request.headers
    const isSame = origin === publicUrl || origin === `http://${host?.toLowerCase()}`
    // Browsers send `Origin` with each POST, but not with a GET to the same origin.
    const isAllowed = origin === undefined ? request.method === 'GET' : isSame
    if (isAllowed && (site === undefined || site === 'same-origin')) return
    throw new ProblemError(
      'origin_not_allowed',
      'Only the hosted checkout page may call this. Merchants use POST /payment-intents.',
    )
  }
}

function pageHandler(
  { now, publicUrl, challengeUrl, hostedFolder }: CheckoutRoutesOptions,
  intents: IntentStore,
): Handler {
  return async (call) => {
    const { id: sent = '' } = call.params
    const { referer, ...headers } = call.request.headers
    const languages = headers['accept-language']
    const showError = (reason: Parameters<typeof errorPage>[1]): RouteResponse =>
      page(openPageHeaders, errorPage(hostedFolder, { ...reason, languages }))
    // The request log warns of a `clientSecret` in an address.
    const [id = ''] = sent.split(/_secret_/i, 1)
    const intent = intentIdPattern.test(id) ? await intents.find(id) : undefined
    const environment = intent && (await intents.environment(intent.environmentId))
    if (environment) call.environment = environment
    // Older browsers do not say it, and show after some seconds that no page around it answers.
    if (headers['sec-fetch-dest'] === 'document') {
      return showError({ isAlone: environment !== undefined })
    }
    // The response does not depend on the embedding page, so it does not reveal registered origins.
    if (!environment || id !== sent) return showError({ code: 'unauthorized' })
    const { allowedOrigins: registered, mode } = environment
    const embedder = embeddingOrigin(referer, publicUrl)
    if (embedder !== undefined && !registered.includes(embedder)) {
      call.unregisteredOrigin = embedder
      return showError({ code: 'origin_not_allowed', mode })
    }
    return compressed(
      call,
      page(
        checkoutHeaders({
          frameAncestors: registered,
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

/** @param returnUrl - An address of the shop, or the query of the full page, which returns to itself. */
function checkedReturnPage(place: Parameters<typeof readFullPage>[1], returnUrl = ''): string {
  const page = returnUrl.startsWith('?')
    ? readFullPage(returnUrl, place)
    : readReturnUrl(returnUrl, place.snapshot.environment.allowedOrigins)
  if (page) return page
  throw new ProblemError(
    'origin_not_allowed',
    'returnUrl must be an address on a registered origin, with https, or with http on loopback.',
  )
}

async function readBody<T>(
  { request }: Call,
  schema: z.ZodType<T>,
  maxBytes = limits.requestBytes,
): Promise<T> {
  const body = await jsonBody(request, { maxBytes })
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

function endOf({ response }: Call): AbortSignal {
  const end = new AbortController()
  // A reason, because creating the default one with its stack takes longer than all else here.
  if (response.destroyed) end.abort('closed')
  else response.once('close', () => end.abort('closed'))
  return end.signal
}
