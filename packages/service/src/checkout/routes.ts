/** The private API of the hosted page, which uses session tokens in place of cookies and has no CORS. @module */
import type { FastifyReply, FastifyRequest } from 'fastify'
import { z } from 'zod'
import type { SessionGrant } from '../../shared/checkout-api.ts'
import { routes } from '../../shared/routes.ts'
import type { App } from '../http/app.ts'
import { ProblemError } from '../http/problem.ts'
import { json } from '../http/send.ts'
import { intentIdPattern } from '../ids.ts'
import { longPoll } from '../waiting/long-poll.ts'
import type { Waits } from '../waiting/waits.ts'
import { addChallengeRoutes, type ChallengeOptions } from './challenge.ts'
import { addConfirmRoute, type ConfirmOptions } from './confirm.ts'
import { IdSchema, sessionOfCookie } from './full-page.ts'
import { sessionEnded } from './sessions.ts'

export interface CheckoutRoutesOptions extends ConfirmOptions, ChallengeOptions {
  readonly waits: Waits
}

export function addCheckoutRoutes(app: App, options: CheckoutRoutesOptions): void {
  const { now, waits, sessions } = options
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
      const awaited = { intentId: session.id, version, lifetime, read, signal: endOf(reply) }
      return await longPoll(reply, async (onPulse) =>
        sessions.view(await waits.wait({ ...awaited, onPulse })),
      )
    },
  )

  addConfirmRoute(app, options)
  addChallengeRoutes(app, options)
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

/** No field of this body is long, and the body is read before its `clientSecret` is known to be valid. */
const maxSessionBytes = 4096

const OpenSessionSchema = z.strictObject({
  id: text(intentIdPattern, 'must be the id of a Payment Intent'),
  clientSecret: text(/^.{1,512}$/s, 'must be the clientSecret of that Payment Intent'),
  origin: text(/^.{1,255}$/s, 'must be the origin of the page around the checkout'),
})

const ViewQuerySchema = z.object({
  waitForVersion: text(/^\d{1,9}$/, 'must have 1 to 9 digits')
    .transform(Number)
    .optional(),
})

const EmptySchema = z.strictObject({})

function text(pattern: RegExp, rule: string): z.ZodString {
  return z.string(rule).regex(pattern, rule)
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

function endOf({ raw }: FastifyReply): AbortSignal {
  const end = new AbortController()
  // A reason, because creating the default one with its stack takes longer than all else here.
  if (raw.destroyed) end.abort('closed')
  else raw.once('close', () => end.abort('closed'))
  return end.signal
}
