/** The private API of the hosted page, which uses session tokens in place of cookies and has no CORS. @module */
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Logger } from 'pino'
import type { SessionGrant } from '../../shared/checkout-api.ts'
import { routes } from '../../shared/routes.ts'
import type { App } from '../http/app.ts'
import { ProblemError } from '../http/problem.ts'
import { createBuckets, type Rate, type RateLimits } from '../http/rate-limit.ts'
import { json } from '../http/send.ts'
import { newProviderPaymentId } from '../ids.ts'
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
import { readFullPage, sessionOfCookie } from './full-page.ts'
import {
  ConfirmSchema,
  EmptySchema,
  IdSchema,
  OpenChallengeSchema,
  OpenSessionSchema,
  rejectPastExpiry,
  rejectRealCards,
  ViewQuerySchema,
} from './parse-request.ts'
import { readReturnUrl } from './return-url.ts'
import {
  openSession,
  type SessionOpener,
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
  readonly waits: Waits
  readonly limits: Pick<RateLimits, 'confirm'>
  /** Opens sessions of the private API, and those of full pages. */
  readonly openers: { readonly frame: SessionOpener; readonly full: SessionOpener }
}

declare module 'fastify' {
  interface FastifyRequest {
    /** Session of a request of the private API, and its intent as it was when the request arrived. */
    readonly checkout: { readonly session: VerifiedSession; readonly snapshot: Snapshot }
  }
}

export function addCheckoutRoutes(app: App, options: CheckoutRoutesOptions): void {
  const { intents, keys, log, now, publicUrl, challengeUrl, waits, openers } = options
  const opens = createBuckets(openRate, now)
  const sessions = sessionReader(intents, openers.frame.tokens)
  const view = (snapshot: Snapshot) => checkoutView(snapshot, challengeUrl)

  app.decorateRequest('checkout', null as never)

  /** Reads session and intent before the body. */
  async function open(request: FastifyRequest): Promise<void> {
    const session = await sessions.verify(request)
    const snapshot = await sessions.read(session)
    Object.assign(request, { checkout: { session, snapshot } })
  }

  /** Changes the intent of a session. */
  async function act({ checkout }: FastifyRequest, cause: Cause): Promise<Snapshot> {
    const changed = await change(intents, checkout.session.id, cause)
    if (!changed || changed.rejection === 'payment_intent_not_found') throw sessionEnded()
    if (changed.rejection) throw checkoutApiError(changed.rejection)
    return changed
  }

  app.post(
    routes.fullPageSession.path,
    { bodyLimit: maxSessionBytes, schema: { params: IdSchema, body: EmptySchema } },
    async (request, reply) => {
      const session = await sessionOfCookie(openers.full, request, request.params.id)
      if (!session) throw sessionEnded()
      const intent = view(await sessions.read(session))
      openers.frame.limit(session.id)
      const signed = await openers.frame.tokens.sign(session, now())
      return json(reply, { ...signed, intent } satisfies SessionGrant)
    },
  )

  app.post(
    routes.openSession.path,
    { bodyLimit: maxSessionBytes, schema: { body: OpenSessionSchema } },
    async ({ body, id: requestId }, reply) => {
      const opened = await openSession(openers.frame, body).catch((error: unknown) => {
        const event = 'Rejected a checkout session'
        if (error instanceof ProblemError) logError(log, error, { event, requestId, level: 'warn' })
        throw error
      })
      const { token, expiresAt, snapshot } = opened
      return json(reply, { token, expiresAt, intent: view(snapshot) } satisfies SessionGrant)
    },
  )

  app.get(
    routes.view.path,
    { schema: { querystring: ViewQuerySchema } },
    async (request, reply) => {
      const { waitForVersion: version } = request.query
      const session = await sessions.verify(request)
      const read = async (): Promise<Snapshot> => await sessions.read(session)
      if (version === undefined) return json(reply, view(await read()))
      const { id: intentId, origin, expiresAt } = session
      const lifetime = expiresAt.getTime() - now().getTime()
      const awaited = { intentId, origin, version, lifetime, read, signal: endOf(reply) }
      return await longPoll(reply, async (onPulse) =>
        view(await waits.wait({ ...awaited, onPulse })),
      )
    },
  )

  app.post(
    routes.confirm.path,
    {
      schema: { body: ConfirmSchema },
      onRequest: [open, async (request) => options.limits.confirm(request.checkout.snapshot)],
      preValidation: async ({ body }) => rejectRealCards(body),
    },
    async (request, reply) => {
      const { confirmationId, version, paymentMethod } = request.body
      rejectPastExpiry(request.body, now())
      const authorization = authorize(paymentMethod.card)
      if (!authorization) throw new TypeError('The card passed the checks but is not a test card')
      const providerPaymentId = newProviderPaymentId()
      const confirmation = { confirmationId, version, authorization, providerPaymentId }
      return json(reply, view(await act(request, { type: 'confirmed', ...confirmation })))
    },
  )

  app.post(
    routes.openChallenge.path,
    {
      schema: { body: OpenChallengeSchema },
      onRequest: [open, async ({ checkout }) => opens.take(checkout.session.id)],
    },
    async (request, reply) => {
      const { snapshot, session } = request.checkout
      const { nextAction } = view(snapshot)
      if (!nextAction) throw checkoutApiError('version_conflict')
      const isRedirect = nextAction.type === 'redirect'
      const place = { publicUrl, snapshot }
      const returnPage = isRedirect ? checkedReturnPage(place, request.body.returnUrl) : null
      const token = newToken(keys, session.id, 'enter')
      const opened = { token: hashOfToken(token), origin: session.origin, returnPage }
      await act(request, { type: 'challenge_opened', ...opened })
      return json(reply, { url: nextAction.url, token })
    },
  )

  for (const [path, type] of [
    [routes.cancelChallenge.path, 'challenge_canceled'],
    [routes.cancel.path, 'canceled'],
  ] as const) {
    app.post(path, { schema: { body: EmptySchema }, onRequest: open }, async (request, reply) =>
      json(reply, view(await act(request, { type }))),
    )
  }
}

const openRate: Rate = { burst: 20, perSecond: 20 / 60 }
/** No field of this body is long, and the body is read before its `clientSecret` is known to be valid. */
const maxSessionBytes = 4096

/**
 * Returns the check for the private API, which accepts calls only from the hosted page's origin. It runs
 * after the check of `Host`, so the host name is one of the service's.
 */
export function samePageCheck(publicUrl: string): (request: FastifyRequest) => void {
  return ({ method, headers }) => {
    const { origin, host, 'sec-fetch-site': site } = headers
    const isSame = origin === publicUrl || origin === `http://${host?.toLowerCase()}`
    // Browsers send `Origin` with each POST, but not with a GET to the same origin.
    const isAllowed = origin === undefined ? method === 'GET' : isSame
    if (isAllowed && (site === undefined || site === 'same-origin')) return
    throw new ProblemError(
      'origin_not_allowed',
      'Only the hosted checkout page may call this. Merchants use POST /payment-intents.',
    )
  }
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

function endOf({ raw }: FastifyReply): AbortSignal {
  const end = new AbortController()
  // A reason, because creating the default one with its stack takes longer than all else here.
  if (raw.destroyed) end.abort('closed')
  else raw.once('close', () => end.abort('closed'))
  return end.signal
}
