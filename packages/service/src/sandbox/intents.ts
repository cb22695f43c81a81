/** Lists and shows intents of test environments. @module */
import type { IntentPage, ShownIntent } from '../../shared/sandbox-api.ts'
import { keyHash } from '../intents/idempotency.ts'
import { type Intent, lastConfirmation } from '../intents/intent.ts'
import { afterDeadlines } from '../intents/lifecycle.ts'
import {
  findByKey,
  findIntent as findIntentRow,
  type IntentRow,
  listIntents as listIntentRows,
  listIntentsOfOrder,
  listLimit,
  type Place,
  readableIntents,
} from '../intents/statements.ts'
import { type IntentStore, load } from '../intents/store.ts'
import { inspectorView, merchantView } from '../intents/views.ts'
import { type Environment, environmentNow } from '../merchants/environments.ts'
import type { Database } from '../store/database.ts'

interface SandboxStore {
  readonly db: Database
  readonly intents: IntentStore
}

/** Reads an intent. Returns `undefined` if no test environment has it. */
export async function findIntent(
  intents: IntentStore,
  id: string,
): Promise<Omit<ShownIntent, 'requests'> | undefined> {
  const found = await load(intents, id)
  if (found?.environment.mode !== 'test') return undefined
  return {
    ...inspectorView(found.intent),
    secretRevoked: found.intent.revokedAt !== null,
  }
}

export interface IntentSearch {
  readonly environment: Environment
  /** Id of an intent. The page begins with the next older one. */
  readonly before: string | undefined
  /** An id or idempotency key; else an order, the beginning of an id, or part of an order, customer, or card. */
  readonly term: string | null
  readonly status: string | null
}

const pageLength = 100

/** In milliseconds. Other requests are served between the pages of a search. */
const searchTime = 200

/** Reads pages until one has a match, or the time has passed. Then the page is empty, and its `next` continues. */
export async function searchIntents(
  store: SandboxStore,
  search: IntentSearch,
): Promise<IntentPage> {
  const end = performance.now() + searchTime
  let page = await listIntents(store, search)
  while (page.intents.length === 0 && page.next !== null && performance.now() < end) {
    page = await listIntents(store, { ...search, before: page.next })
  }
  return page
}

/** Reads a page of intents, newest first. It can have few matches, or none, although older ones match. */
export async function listIntents(
  { db, intents: store }: SandboxStore,
  search: IntentSearch,
): Promise<IntentPage> {
  const { environment, status } = search
  const at = environmentNow(environment, store.now())
  // The reaper writes what these deadlines change.
  const current = (intents: readonly Intent[]): Intent[] =>
    intents
      .map((intent) => afterDeadlines(intent, at))
      .filter((intent) => status === null || intent.status === status)
  const named = await findNamed(db, search)
  if (named.length > 0) return { intents: current(named).map(merchantView), next: null }
  const ordered = await findOfOrder(db, search)
  const rows = await db.query<IntentRow>(
    listIntentRows(environment.id, await placeOf(db, search.before)),
  )
  const matching = current(readableIntents(rows)).filter((intent) => matches(intent, search.term))
  const page = matching.slice(0, pageLength)
  const shown = new Set(page.map(({ id }) => id))
  const intents = [...page, ...current(ordered).filter(({ id }) => !shown.has(id))]
  const isFull = rows.length === listLimit
  const next = matching.length > pageLength ? page.at(-1) : isFull ? rows.at(-1) : undefined
  return { intents: intents.map(merchantView), next: next?.id ?? null }
}

async function placeOf(db: Database, id: string | undefined): Promise<Place> {
  if (id === undefined) return { createdAt: Number.MAX_SAFE_INTEGER, id: '' }
  const [row] = await db.query<IntentRow>(findIntentRow(id))
  return { createdAt: row?.createdAt ?? 0, id }
}

function matches({ state, ...intent }: Intent, term: string | null): boolean {
  if (term === null || intent.id.startsWith(term)) return true
  const text = term.toLowerCase()
  const { id = '', email = '', name = '' } = intent.customer ?? {}
  const card = lastConfirmation({ state })?.paymentMethod.card
  const parts = [intent.orderId, `${email} ${name}`, `${card?.brand ?? ''} ${card?.last4 ?? ''}`]
  return (
    (id !== '' && id.toLowerCase().startsWith(text)) ||
    parts.some((part) => part.toLowerCase().includes(text))
  )
}

/** Reads the intent that has exactly this id or idempotency key, however old it is, for the first page. */
async function findNamed(
  db: Database,
  { environment, before, term }: IntentSearch,
): Promise<readonly Intent[]> {
  if (term === null || before !== undefined) return []
  const named = [findIntentRow(term), findByKey(keyHash(environment, term))]
  const rows = await Promise.all(named.map(async (each) => await db.query<IntentRow>(each)))
  return readableIntents(rows.flat().filter((row) => row.environmentId === environment.id))
}

/** Reads intents of exactly this order, newest first, for the first page. Most are older than those that it lists. */
async function findOfOrder(
  db: Database,
  { environment, before, term }: IntentSearch,
): Promise<readonly Intent[]> {
  if (term === null || before !== undefined) return []
  return readableIntents(await db.query<IntentRow>(listIntentsOfOrder(environment.id, term)))
}
