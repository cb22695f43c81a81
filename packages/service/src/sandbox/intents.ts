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

export interface IntentSearch {
  readonly environment: Environment
  /** Id of an intent. The page begins with the next older one. */
  readonly before: string | undefined
  /** An id or idempotency key; else an order, the beginning of an id, or part of an order, customer, or card. */
  readonly term: string | null
  readonly status: string | null
}

const pageLength = 100

/**
 * How many intents a page examines: of a search so many that it takes less than 50 ms. Not parameters, because the
 * planner sorts all intents of an environment if it does not know the number.
 */
const limits = {
  list: new Fragment(String(pageLength + 1)),
  search: new Fragment('10000'),
}

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
  const named = await findNamed(db, search)
  const rows = named.length > 0 ? named : await examine(db, search, at)
  const ordered = named.length > 0 ? [] : await findOrder(db, search)
  const matching = rows.filter(({ matches }) => matches)
  const page = matching.slice(0, pageLength)
  // The reaper writes what these deadlines change.
  const shown = new Set(page.map(({ id }) => id))
  const intents = [...page, ...ordered.filter(({ id }) => !shown.has(id))]
    .map((intent) => afterDeadlines(intent, at))
    .filter((intent) => status === null || intent.status === status)
  const last = matching.length > pageLength ? page.at(-1) : rows.find(({ isLast }) => isLast)
  return { intents: intents.map(merchantView), next: last?.id ?? null }
}

interface ExaminedIntent extends Intent {
  readonly matches: boolean
  /** Whether it is the last one that the page examines. The next page begins after it. */
  readonly isLast: boolean
}

/** Reads the next older intents that match, and the last one that it examined. */
async function examine(
  db: Database,
  { environment, before, term, status }: IntentSearch,
  at: Date,
): Promise<readonly ExaminedIntent[]> {
  const limit = term === null && status === null ? limits.list : limits.search
  return await db.query<ExaminedIntent>`
    select ${columns}, matches, number = ${limits.search} as "isLast" from (
      select *, row_number() over (order by created_at desc, id desc) as number,
             (${status}::text is null or status = ${status} or due_at <= ${at})
             and (${term}::text is null or starts_with(id, ${term})
                  or position(lower(${term}) in lower(order_id)) > 0
                  or customer is not null and (
                     starts_with(lower(customer->>'id'), lower(${term}))
                     or position(lower(${term}) in
                          lower(concat_ws(' ', customer->>'email', customer->>'name'))) > 0)
                  or state is not null and position(lower(${term}) in ${card}) > 0) as matches
        from (
          select * from intents
           where environment_id = ${environment.id}
             and (created_at, id) < (
               coalesce((select created_at from intents where id = ${before ?? null}),
                        case when ${before ?? null}::text is null then 'infinity' else '-infinity' end::timestamptz),
               coalesce(${before ?? null}, ''))
           order by created_at desc, id desc limit ${limit}) newest) intents
     where matches or number = ${limits.search}
     order by created_at desc, id desc limit ${limits.list}`
}

/** Reads the intent that has exactly this id or idempotency key, however old it is, for the first page. */
async function findNamed(
  db: Database,
  { environment, before, term }: IntentSearch,
): Promise<readonly ExaminedIntent[]> {
  if (term === null || before !== undefined) return []
  const rows = await db.query<ExaminedIntent>`
    select ${columns}, true as matches, false as "isLast" from intents
     where id = any(array(
       select ${term}::text
       union all (
         select id from intents where key_hash = any(array[decode(${keyHash(environment, term)}, 'hex')])
          order by key_hash limit 1)))
     order by id`
  return rows.filter(({ environmentId }) => environmentId === environment.id)
}

/** Reads intents of exactly this order, newest first, for the first page. Most are older than those it examines. */
async function findOrder(
  db: Database,
  { environment, before, term }: IntentSearch,
): Promise<readonly Intent[]> {
  if (term === null || before !== undefined) return []
  const rows = await db.query<Intent>`
    select ${columns} from intents
     where environment_id = ${environment.id} and order_id = ${term}
     order by environment_id, order_id limit ${limits.list}`
  return rows.toSorted((one, other) => other.createdAt.getTime() - one.createdAt.getTime())
}

const card = new Fragment(`
  lower(concat_ws(' ', state->'confirmations'->-1->'paymentMethod'->'card'->>'brand',
                  state->'confirmations'->-1->'paymentMethod'->'card'->>'last4'))`)
