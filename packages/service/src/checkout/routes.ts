/** The private API of the hosted page, which uses session tokens in place of cookies and has no CORS. @module */
import type { FastifyRequest } from 'fastify'
import type { SessionGrant } from '../../shared/checkout-api.ts'
import { routes } from '../../shared/routes.ts'
import type { App } from '../http/app.ts'
import { ProblemError } from '../http/problem.ts'
import { createBuckets, type Rate } from '../http/rate-limit.ts'
import { json } from '../http/send.ts'
import { newId } from '../ids.ts'
import type { AppOptions } from '../options.ts'
import { authorize } from '../provider/acquirer.ts'
import { hashOfToken } from '../tokens.ts'
import { longPoll } from '../waiting/waits.ts'
import { IdSchema, readFullPage, sessionOfCookie } from './full-page.ts'
import {
  ConfirmSchema,
  EmptySchema,
  OpenChallengeSchema,
  OpenSessionSchema,
  rejectRealCards,
  ViewQuerySchema,
} from './parse-request.ts'
import { readReturnUrl } from './return-url.ts'
import { actionError, sessionEnded } from './sessions.ts'

/** No field of this body is long, and the body is read before its `clientSecret` is known to be valid. */
const maxSessionBytes = 4096

/** Openings of one intent's challenge. */
const openRate: Rate = { burst: 20, perSecond: 20 / 60 }

export function addCheckoutRoutes(app: App, options: AppOptions): void {
  const { publicUrl, sessions, waits, limits, now } = options
  app.decorateRequest('checkout', null as never)

  app.post(
    routes.fullPageSession.path,
    { bodyLimit: maxSessionBytes, schema: { params: IdSchema, body: EmptySchema } },
    async (request, reply) => {
      const session = await sessionOfCookie(sessions, request, request.params.id)
      if (!session) throw sessionEnded()
      const intent = sessions.view(await sessions.read(session))
      sessions.limit(session.id)
      const token = await sessions.sign('session', session)
      return json(reply, { token, intent } satisfies SessionGrant)
    },
  )

  app.post(
    routes.openSession.path,
    { bodyLimit: maxSessionBytes, schema: { body: OpenSessionSchema } },
    async ({ body }, reply) => {
      const { token, snapshot } = await sessions.open('session', body)
      const intent = sessions.view(snapshot)
      return json(reply, { token, intent } satisfies SessionGrant)
    },
  )

  app.get(
    routes.view.path,
    { schema: { querystring: ViewQuerySchema } },
    async (request, reply) => {
      const { waitForVersion: version } = request.query
      const session = await sessions.ofRequest(request)
      const read = async () => await sessions.read(session)
      if (version === undefined) return json(reply, sessions.view(await read()))
      const lifetime = session.expiresAt.getTime() - now().getTime()
      const awaited = { intentId: session.id, version, lifetime, read, response: reply.raw }
      return await longPoll(reply, async (onPulse) =>
        sessions.view(await waits.wait({ ...awaited, onPulse })),
      )
    },
  )

  app.post(
    routes.confirm.path,
    {
      schema: { body: ConfirmSchema },
      onRequest: [sessions.enter, async ({ checkout }) => limits.confirm(checkout.snapshot)],
      preValidation: async ({ body }) => rejectRealCards(body),
    },
    async (request, reply) => {
      const { confirmationId, version, paymentMethod } = request.body
      const authorization = authorize(paymentMethod.card)
      if (!authorization) throw new TypeError('The card passed the checks but is not a test card')
      const providerPaymentId = newId('sim_', 24)
      const confirmation = { confirmationId, version, authorization, providerPaymentId }
      return json(reply, await sessions.act(request, { type: 'confirmed', ...confirmation }))
    },
  )

  const opens = createBuckets(openRate, now)
  app.post(
    routes.openChallenge.path,
    {
      schema: { body: OpenChallengeSchema },
      onRequest: [sessions.enter, async ({ checkout }) => opens.take(checkout.session.id)],
    },
    async (request, reply) => {
      const { snapshot, session } = request.checkout
      const { nextAction } = sessions.view(snapshot)
      if (!nextAction) throw actionError('version_conflict')
      const isRedirect = nextAction.type === 'redirect'
      const place = { publicUrl, snapshot }
      const returnPage = isRedirect ? checkedReturnPage(place, request.body.returnUrl) : null
      const token = await sessions.sign('challenge', session)
      const opened = { token: hashOfToken(token), returnPage }
      await sessions.act(request, { type: 'challenge_opened', ...opened })
      return json(reply, { url: nextAction.url, token })
    },
  )

  for (const [path, type] of [
    [routes.cancelChallenge.path, 'challenge_canceled'],
    [routes.cancel.path, 'canceled'],
  ] as const) {
    const checks = { schema: { body: EmptySchema }, onRequest: sessions.enter }
    app.post(path, checks, async (request, reply) =>
      json(reply, await sessions.act(request, { type })),
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
