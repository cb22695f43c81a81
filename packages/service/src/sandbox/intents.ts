/** Intents in test environments: their list, details, simulated outcomes, and deletion. @module */
import type { PaymentIntent } from '@pi-checkout/contract'
import { z } from 'zod'
import { routes } from '../../shared/routes.ts'
import {
  type ShownIntent,
  type SimulatedOutcome,
  simulatedOutcomes,
} from '../../shared/sandbox-api.ts'
import { IdSchema } from '../checkout/full-page.ts'
import { actionError } from '../checkout/sessions.ts'
import type { App } from '../http/app.ts'
import { notFound } from '../http/problem.ts'
import { json } from '../http/send.ts'
import { newId } from '../ids.ts'
import { dueAt } from '../intents/deadlines.ts'
import { type Intent, lastConfirmation, stateOf } from '../intents/intent.ts'
import { afterDeadlines, decide } from '../intents/lifecycle.ts'
import {
  deleteIntents,
  deleteLimit,
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
  const { db, now, intents, requestLog } = options

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
      json(reply, { intents: await listIntents({ db, now }, environment, query.q) }),
  )

  app.get(routes.intent.path, { schema: { params: IdSchema } }, async ({ params }, reply) => {
    const snapshot = await found(params.id)
    const { intent, environment } = snapshot
    const { confirmations, events } = stateOf(intent)
    const logged = requestLog.requests(environment.id)
    return json(reply, {
      intent: merchantView(intent),
      environment: environment.id,
      finalizedAt: intent.finalizedAt?.toISOString() ?? null,
      dueAt: dueAt(intent)?.toISOString() ?? null,
      outcomes: outcomesOf(snapshot),
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
}

const SearchSchema = z.object({
  q: z.string().trim().max(200, 'must have at most 200 characters').optional(),
})

const SettleSchema = z.strictObject({
  outcome: z.enum(simulatedOutcomes, `must be one of ${simulatedOutcomes.join(', ')}`),
})

const unknownIntent = 'No test environment has a Payment Intent with this id.'

/** Returns the outcomes that the intent's state machine neither rejects nor ignores. */
function outcomesOf({ intent, at }: Snapshot): readonly SimulatedOutcome[] {
  const ids = { confirmationId: '', providerPaymentId: '' }
  return simulatedOutcomes.filter((outcome) => {
    const { intent: next, rejection } = decide(intent, { type: 'simulated', outcome, ...ids }, at)
    return next !== intent && rejection === undefined
  })
}

/** Number of requests that an intent's details show. */
const maxRequests = 20

/** Number of lists that a search reads. */
const maxLists = 50

/**
 * Lists at most 100 intents, newest first. A search looks at the newest 5,000.
 *
 * @param term - The beginning of an id, or part of an order, status, customer, or card.
 */
export async function listIntents(
  { db, now }: StoreAndClock,
  environment: Environment,
  term = '',
): Promise<readonly PaymentIntent[]> {
  const at = environmentNow(environment, now())
  const found: Intent[] = []
  let place: Place | undefined = newest
  for (let lists = 0; place && found.length < listLimit && lists < maxLists; lists++) {
    const rows: readonly IntentRow[] = await db.query(listIntentRows(environment.id, place))
    // The next read of each intent writes what these deadlines change.
    const intents = readableIntents(rows).map((intent) => afterDeadlines(intent, at))
    found.push(...intents.filter((intent) => matches(intent, term)))
    place = rows.length === listLimit ? rows.at(-1) : undefined
  }
  return found.slice(0, listLimit).map(merchantView)
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
