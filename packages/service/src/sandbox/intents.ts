/** Lists and shows intents of test environments. @module */
import type { IntentPage, ShownIntent } from '../../shared/sandbox-api.ts'
import { type Database, Fragment } from '../db/database.ts'
import { columns } from '../intents/columns.ts'
import { keyHash } from '../intents/idempotency.ts'
import type { Intent } from '../intents/intent.ts'
import { afterDeadlines } from '../intents/lifecycle.ts'
import { type IntentStore, load } from '../intents/store.ts'
import { inspectorView, merchantView } from '../intents/views.ts'
import { type Environment, environmentNow } from '../merchants/environments.ts'

interface SandboxStore {
  readonly db: Database
  readonly intents: IntentStore
}

/** Reads an intent. Returns `undefined` if no test environment has it. */
export async function findIntent(
  { db, intents }: SandboxStore,
  id: string,
): Promise<Omit<ShownIntent, 'requests'> | undefined> {
  const found = await load(intents, id)
  if (found?.environment.mode !== 'test') return undefined
  const [key] = await db.query<{ expiresAt: Date | null }>`
    select key_expires_at as "expiresAt" from intents where id = ${id}`
  return {
    ...inspectorView(found.intent),
    replayUntil: key?.expiresAt?.toISOString() ?? null,
    secretRevoked: found.intent.secretSalt === null,
  }
}

export async function ordersOf(
  db: Database,
  ids: readonly (string | null)[],
): Promise<ReadonlyMap<string | null, string>> {
  const rows = await db.query<{ id: string; orderId: string }>`
    select id, order_id as "orderId" from intents where id = any(${ids})`
  return new Map(rows.map(({ id, orderId }) => [id, orderId]))
}

export interface IntentSearch {
  readonly environment: Environment
  /** Id of an intent. The page begins with the next older one. */
  readonly before: string | undefined
  /** An id or idempotency key; else the beginning of an id, or part of an order, customer, or card. */
  readonly term: string | null
  readonly status: string | null
}

/** Position in a list of intents, which are in the order of their creation. */
interface Position {
  readonly createdAt: string
  readonly id: string
}

/**
 * Maximum of intents that a page examines, so that each page takes less than 50 ms. Not a parameter, because the planner
 * sorts all intents of an environment if it does not know the number.
 */
const examined = new Fragment(`2000`)

const pageLength = 200

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
  { environment, before, term, status }: IntentSearch,
): Promise<IntentPage> {
  const [begin] =
    before === undefined
      ? [{ createdAt: 'infinity', id: '' }]
      : await db.query<Position>`
        select created_at::text as "createdAt", id from intents where id = ${before}`
  if (!begin) return { intents: [], next: null }
  const at = environmentNow(environment, store.now())
  const pageOf = (rows: readonly Intent[], end: Position | undefined): IntentPage => {
    const page = rows.slice(0, pageLength)
    // The reaper writes what these deadlines change.
    const intents = page
      .map((intent) => afterDeadlines(intent, at))
      .filter((intent) => status === null || intent.status === status)
    const next = rows.length > pageLength ? page.at(-1) : end
    return { intents: intents.map(merchantView), next: next?.id ?? null }
  }
  const named = term === null ? [] : await findNamed(db, { environment, begin, term })
  if (named.length > 0) return pageOf(named, undefined)
  const [last, older] = await db.query<Position>`
    select created_at::text as "createdAt", id from intents
     where environment_id = ${environment.id}
       and (created_at, id) < (${begin.createdAt}::timestamptz, ${begin.id})
     order by created_at desc, id desc limit 2 offset ${examined} - 1`
  const rows = await db.query<Intent>`
    select ${columns} from intents
     where environment_id = ${environment.id}
       and (created_at, id) < (${begin.createdAt}::timestamptz, ${begin.id})
       and (created_at, id) >= (${last?.createdAt ?? '-infinity'}::timestamptz, ${last?.id ?? ''})
       and (${status}::text is null or status = ${status} or due_at <= ${at})
       and (${term}::text is null or starts_with(id, ${term})
            or starts_with(lower(customer->>'id'), lower(${term}))
            or position(lower(${term}) in ${searched}) > 0)
     order by created_at desc, id desc limit ${pageLength + 1}`
  return pageOf(rows, older && last)
}

/** Reads the intent that has exactly this id or idempotency key, however old it is. */
async function findNamed(
  db: Database,
  {
    environment,
    begin,
    term,
  }: { readonly environment: Environment; readonly begin: Position; readonly term: string },
): Promise<readonly Intent[]> {
  const rows = await db.query<Intent>`
    select ${columns} from intents
     where (created_at, id) < (${begin.createdAt}::timestamptz, ${begin.id}) and id = any(array(
       select ${term}::text
       union all (
         select id from intents where key_hash = any(array[decode(${keyHash(environment, term)}, 'hex')])
          order by key_hash limit 1)))
     order by id`
  return rows.filter(({ environmentId }) => environmentId === environment.id)
}

// The default collation, because `lower` changes only ASCII letters in the collation of ids.
const searched = new Fragment(`
  lower(concat_ws(' ', order_id, customer->>'email', customer->>'name',
                  state->'confirmations'->-1->'paymentMethod'->'card'->>'brand',
                  state->'confirmations'->-1->'paymentMethod'->'card'->>'last4')
        collate "default")`)
