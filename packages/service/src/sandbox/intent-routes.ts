/** Routes of intents in test environments: lists, details, simulated outcomes, and test checkouts. @module */
import { randomUUID } from 'node:crypto'
import { headers as names, paymentIntentIdPattern } from '@pi-checkout/contract'
import { z } from 'zod'
import { routes } from '../../shared/routes.ts'
import { type CreatedIntent, exampleIntent, simulatedOutcomes } from '../../shared/sandbox-api.ts'
import { fullPageOf, inspectorUrl } from '../checkout/full-page.ts'
import { actionError } from '../checkout/sessions.ts'
import type { App } from '../http/app.ts'
import { notFound, ProblemError } from '../http/problem.ts'
import { json } from '../http/send.ts'
import { newId } from '../ids.ts'
import { change, load, type Snapshot } from '../intents/store.ts'
import type { AppOptions } from '../options.ts'
import { detailsOf, listIntents } from './intents.ts'

export function addIntentRoutes(app: App, options: AppOptions): void {
  const { authenticator, db, now, intents, sessions, publicUrl, requestLog } = options
  const params = z.object({ id: z.string() })

  /** The sandbox does not reveal whether a live intent exists. */
  async function found(id: string): Promise<Snapshot> {
    const snapshot = await load(intents, id)
    if (snapshot?.environment.mode === 'test') return snapshot
    throw notFound(unknownIntent)
  }

  app.get(
    routes.intents.path,
    { schema: { querystring: SearchSchema } },
    async ({ environment, query: { before, q: term } }, reply) =>
      json(reply, await listIntents({ db, now }, { environment, before, term })),
  )

  // As a merchant's server creates it, so that log, lint, and faults see the request.
  app.post(
    routes.createIntent.path,

    async ({ environment }, reply) => {
      const { apiKey, end } = authenticator.lend(environment)
      const sending = app.inject({
        method: 'POST',
        url: routes.create.path,
        headers: { authorization: `Bearer ${apiKey}`, [names.idempotencyKey]: randomUUID() },
        payload: exampleIntent,
        signal: AbortSignal.timeout(10_000),
      })
      // A fault can close the connection, or stall the response.
      const response = await sending.catch(() => undefined).finally(end)
      const { [names.requestId]: requestId, location } = response?.headers ?? {}
      const created: CreatedIntent = {
        requestId: requestId === undefined ? null : String(requestId),
        intentId: location?.split('/').at(-1) ?? null,
      }
      return json(reply, created, 201)
    },
  )

  app.get(routes.intent.path, { schema: { params } }, async ({ params: { id } }, reply) => {
    const { intent, environment } = await found(id)
    const requests = requestLog.requestsAbout(environment.id, id)
    return json(reply, { ...detailsOf(intent), requests })
  })

  app.post(
    routes.settle.path,
    { schema: { params, body: SettleSchema } },
    async ({ params: { id }, body: { outcome } }, reply) => {
      await found(id)
      const changed = await change(intents, id, {
        type: 'simulated',
        outcome,
        confirmationId: newId('sandbox_', 16),
        providerPaymentId: newId('sim_', 24),
      })
      if (!changed) throw notFound(unknownIntent)
      if (changed.rejection) throw actionError(changed.rejection)
      return json(reply, { id, status: changed.intent.status })
    },
  )

  // The cookie is all that the page needs, so no clientSecret is created.
  app.post(routes.testCheckout.path, { schema: { params } }, async (request, reply) => {
    const { id } = request.params
    const { allowedOrigins } = (await found(id)).environment
    const [origin] = allowedOrigins
    if (origin === undefined) {
      const fix = 'Register an origin first. A checkout is open for one of them.'
      throw new ProblemError('origin_not_allowed', fix)
    }
    const token = await sessions.sign('full-page', { id, origin })
    const query = new URLSearchParams({ return: inspectorUrl(publicUrl, id) })
    const { path, cookie } = fullPageOf(publicUrl, { id, token, query })
    return json(reply.header('set-cookie', cookie), { path }, 201)
  })
}

const SearchSchema = z.object({
  before: z.string().regex(paymentIntentIdPattern, 'must be the id of a Payment Intent').optional(),
  q: z.string().trim().max(200, 'must have at most 200 characters').optional(),
})

const SettleSchema = z.strictObject({
  outcome: z.enum(simulatedOutcomes, `must be one of ${simulatedOutcomes.join(', ')}`),
})

const unknownIntent = 'No test environment has a Payment Intent with this id.'
