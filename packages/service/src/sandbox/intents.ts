/** Lists, shows, and deletes intents of test environments. @module */
import type { IntentPage, ShownIntent } from '../../shared/sandbox-api.ts'
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
import { merchantView } from '../intents/views.ts'
import { type Environment, environmentNow } from '../merchants/environments.ts'
import type { Database } from '../store/database.ts'

export interface IntentSearch {
  readonly environment: Environment
  /** Id of an intent. The page begins with the next older one. */
  readonly before?: string | undefined
  /** The beginning of an id, or part of an order, status, customer, or card. */
  readonly term?: string | undefined
}

/** Number of lists that a search reads for one page. */
const maxLists = 50

/** Reads a page of intents, newest first: the next list, or of a search the next one with matches, if there is one. */
export async function listIntents(
  { db, now }: { readonly db: Database; readonly now: () => Date },
  { environment, before, term = '' }: IntentSearch,
): Promise<IntentPage> {
  const at = environmentNow(environment, now())
  const found: Intent[] = []
  let place: Place | undefined = newest
  if (before !== undefined) [place] = await db.query<IntentRow>(findIntent(before))
  for (let lists = 0; place && found.length < listLimit && lists < maxLists; lists++) {
    const rows: readonly IntentRow[] = await db.query(listIntentRows(environment.id, place))
    found.push(...readableIntents(rows).filter((intent) => matches(intent, term)))
    place = rows.length === listLimit ? rows.at(-1) : undefined
  }
  // The next read of each intent writes what these deadlines change.
  const intents = found.map((intent) => merchantView(afterDeadlines(intent, at)))
  return { intents, next: place?.id ?? null }
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

/** Returns an intent with its other stored data. */
export function detailsOf(intent: Intent): Omit<ShownIntent, 'requests'> {
  const { confirmations, events } = stateOf(intent)
  return {
    intent: merchantView(intent),
    environment: intent.environmentId,
    expiresAt: expiresAt(intent).toISOString(),
    finalizedAt: intent.finalizedAt?.toISOString() ?? null,
    settlement: settlementOf(intent),
    secretRevoked: intent.revokedAt !== null,
    events,
    confirmations,
  }
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
