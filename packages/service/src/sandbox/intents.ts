/** Lists and shows intents of test environments. @module */
import type { IntentPage, ShownIntent } from '../../shared/sandbox-api.ts'
import { expiresAt } from '../intents/deadlines.ts'
import { keyHash } from '../intents/idempotency.ts'
import { type Intent, lastConfirmation, settlementOf, stateOf } from '../intents/intent.ts'
import { afterDeadlines } from '../intents/lifecycle.ts'
import {
  findByKey,
  findIntent,
  type IntentRow,
  listIntents as listIntentRows,
  listIntentsOfOrder,
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
  /** An id, order, or idempotency key, or part of an order, status, customer, or card. */
  readonly term?: string | undefined
}

const pageLength = 100

/**
 * Reads a page of intents, newest first. It can have few matches, or none, although older ones match. The first page also
 * has those of exactly the sought id, order, or key, however old they are.
 */
export async function listIntents(
  { db, now }: { readonly db: Database; readonly now: () => Date },
  { environment, before, term }: IntentSearch,
): Promise<IntentPage> {
  const at = environmentNow(environment, now())
  const place = before === undefined ? newest : await placeOf(db, before)
  const rows = await db.query<IntentRow>(listIntentRows(environment.id, place))
  const exact =
    term === undefined || before !== undefined ? [] : await findExactly(db, environment, term)
  const ids = new Set(exact.map(({ id }) => id))
  const others = readableIntents(rows).filter(
    (intent) => !ids.has(intent.id) && (term === undefined || matches(intent, term)),
  )
  const page = others.slice(0, pageLength)
  const isFull = rows.length === listLimit
  const next = others.length > pageLength ? page.at(-1) : isFull ? rows.at(-1) : undefined
  // The next read of each intent writes what these deadlines change.
  const shown = [...exact, ...page].map((intent) => merchantView(afterDeadlines(intent, at)))
  return { intents: shown, next: next?.id ?? null }
}

const newest: Place = { createdAt: Number.MAX_SAFE_INTEGER, id: '' }

async function placeOf(db: Database, id: string): Promise<Place> {
  const [row] = await db.query<IntentRow>(findIntent(id))
  return { createdAt: row?.createdAt ?? 0, id }
}

async function findExactly(
  db: Database,
  environment: Environment,
  term: string,
): Promise<readonly Intent[]> {
  const found = await Promise.all(
    [
      findIntent(term),
      findByKey(keyHash(environment, term)),
      listIntentsOfOrder(environment.id, term),
    ].map(async (each) => await db.query<IntentRow>(each)),
  )
  return readableIntents(found.flat().filter((row) => row.environmentId === environment.id))
}

function matches({ status, state, id, orderId, customer }: Intent, term: string): boolean {
  const text = term.toLowerCase()
  const card = lastConfirmation({ state })?.paymentMethod.card
  const parts = [
    orderId,
    status,
    `${customer?.email ?? ''} ${customer?.name ?? ''}`,
    `${card?.brand ?? ''} ${card?.last4 ?? ''}`,
  ]
  return (
    id.startsWith(term) ||
    customer?.id.toLowerCase().startsWith(text) === true ||
    parts.some((part) => part.toLowerCase().includes(text))
  )
}

/** Returns an intent with its other stored data. */
export function detailsOf(intent: Intent): Omit<ShownIntent, 'requests'> {
  const { confirmations, events } = stateOf(intent)
  return {
    intent: merchantView(intent),
    environment: intent.environmentId,
    version: intent.version,
    expiresAt: expiresAt(intent).toISOString(),
    finalizedAt: intent.finalizedAt?.toISOString() ?? null,
    secretRevoked: intent.revokedAt !== null,
    settlement: settlementOf(intent),
    events: events.map(({ cause, status, at }, index) => ({
      version: index + 2,
      cause,
      status,
      createdAt: at,
    })),
    confirmations: confirmations.map(({ outcome, ...each }) => ({
      ...each,
      // Such as `authorised`, `declined:lost_card`, or `declined_hard:stolen_card`.
      outcome:
        outcome.result === 'declined'
          ? `${outcome.hard ? 'declined_hard' : 'declined'}:${outcome.decline}`
          : outcome.result,
    })),
  }
}
