/** Intents in test environments: their lists, details, simulated outcomes, test checkouts, and deletion. @module */
import { randomUUID } from 'node:crypto'
import { headers as names, paymentIntentIdPattern } from '@pi-checkout/contract'
import { paymentIntentStatuses } from '@pi-checkout/contract/payment-status'
import { z } from 'zod'
import { routes } from '../../shared/routes.ts'
import {
  type CreatedIntent,
  exampleIntent,
  type IntentPage,
  type ShownIntent,
  simulatedOutcomes,
} from '../../shared/sandbox-api.ts'
import { fullPageOf, IdSchema, inspectorUrl } from '../checkout/full-page.ts'
import { actionError } from '../checkout/sessions.ts'
import type { App } from '../http/app.ts'
import { notFound, ProblemError } from '../http/problem.ts'
import { json } from '../http/send.ts'
import { newId } from '../ids.ts'
import { expiresAt } from '../intents/deadlines.ts'
import { type Intent, lastConfirmation, settlementOf, stateOf } from '../intents/intent.ts'
import { afterDeadlines } from '../intents/lifecycle.ts'
import {
  deleteIntents,
  deleteLimit,
  findIntent,
  type IntentRow,
  listIntents as listIntentRows,
  listLimit,
  type Place,
  readableIntents,
} from '../intents/statements.ts'
import type { Snapshot, StoreAndClock } from '../intents/store.ts'
import { merchantView } from '../intents/views.ts'
import { type Environment, environmentNow } from '../merchants/environments.ts'
import type { AppOptions } from '../options.ts'
import type { Database } from '../store/database.ts'

export function addIntentRoutes(app: App, options: AppOptions): void {
  const { authenticator, db, now, intents, sessions, publicUrl, requestLog } = options

  /** The sandbox does not reveal whether a live intent exists. */
  async function found(id: string): Promise<Snapshot> {
    const snapshot = await intents.load(id)
    if (snapshot?.environment.mode === 'test') return snapshot
    throw notFound(unknownIntent)
  }

  app.get(
    routes.intents.path,
    { schema: { querystring: SearchSchema } },
    async ({ environment, query }, reply) =>
      json(reply, await listIntents({ db, now }, environment, query)),
  )

  // As a merchant's server creates it, so that log, lint, and faults see the request.
  app.post(routes.createIntent.path, async ({ environment }, reply) => {
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
  })

  app.get(routes.intent.path, { schema: { params: IdSchema } }, async ({ params }, reply) => {
    const { intent, environment } = await found(params.id)
    const { confirmations, events } = stateOf(intent)
    const logged = requestLog.requests(environment.id)
    return json(reply, {
      intent: merchantView(intent),
      environment: environment.id,
      expiresAt: expiresAt(intent).toISOString(),
      finalizedAt: intent.finalizedAt?.toISOString() ?? null,
      settlement: settlementOf(intent),
      secretRevoked: intent.revokedAt !== null,
      events,
      confirmations,
      requests: logged.filter(({ intentId }) => intentId === intent.id).slice(0, maxRequests),
    } satisfies ShownIntent)
  })

  app.post(
    routes.settle.path,
    { schema: { params: IdSchema, body: SettleSchema } },
    async ({ params: { id }, body: { outcome } }, reply) => {
      await found(id)
      const changed = await intents.change(id, {
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
  app.post(routes.testCheckout.path, { schema: { params: IdSchema } }, async (request, reply) => {
    const { id } = request.params
    const [origin] = (await found(id)).environment.allowedOrigins
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
  status: z
    .enum(paymentIntentStatuses, `must be one of ${paymentIntentStatuses.join(', ')}`)
    .optional(),
})

const SettleSchema = z.strictObject({
  outcome: z.enum(simulatedOutcomes, `must be one of ${simulatedOutcomes.join(', ')}`),
})

const unknownIntent = 'No test environment has a Payment Intent with this id.'

/** Number of requests that an intent's details show. */
const maxRequests = 20

/** Number of lists that a search reads for one page. */
const maxLists = 50

/**
 * Reads a page of intents, newest first: the next list, or of a search the next one with matches, if there is one.
 *
 * @param search - `before`: the page begins with the intent after this one. `q`: the beginning of an id, or part of an
 * order, status, customer, or card. `status`: that of all intents.
 */
export async function listIntents(
  { db, now }: StoreAndClock,
  environment: Environment,
  { before, q: term = '', status }: z.output<typeof SearchSchema>,
): Promise<IntentPage> {
  const at = environmentNow(environment, now())
  const found: Intent[] = []
  let place: Place | undefined = newest
  if (before !== undefined) [place] = await db.query<IntentRow>(findIntent(before))
  for (let lists = 0; place && found.length < listLimit && lists < maxLists; lists++) {
    const rows: readonly IntentRow[] = await db.query(listIntentRows(environment.id, place))
    // The next read of each intent writes what these deadlines change.
    const intents = readableIntents(rows).map((intent) => afterDeadlines(intent, at))
    const matching = intents.filter((intent) => matches(intent, term))
    found.push(...matching.filter((intent) => (status ?? intent.status) === intent.status))
    place = rows.length === listLimit ? rows.at(-1) : undefined
  }
  return { intents: found.map(merchantView), next: place?.id ?? null }
}

const newest: Place = { createdAt: Number.MAX_SAFE_INTEGER, id: '' }

function matches({ status, state, id, orderId, customer }: Intent, term: string): boolean {
  const card = lastConfirmation({ state })?.paymentMethod.card
  const texts = [
    orderId,
    status,
    ...Object.values({ ...customer }),
    `${card?.brand ?? ''} ${card?.last4 ?? ''}`,
  ]
  const part = term.toLowerCase()
  return id.startsWith(term) || texts.some((text) => text.toLowerCase().includes(part))
}

/**
 * Deletes all intents of an environment in batches, so that other requests are served in between. Intents that are
 * created meanwhile can remain. Returns their number.
 */
export async function deleteAllIntents(db: Database, environmentId: string): Promise<number> {
  let deleted = 0
  try {
    for (;;) {
      const rows = await db.query(deleteIntents(environmentId))
      deleted += rows.length
      if (rows.length < deleteLimit) return deleted
    }
  } finally {
    // Also after an error, because a part is deleted.
    db.notify('environments')
  }
}
