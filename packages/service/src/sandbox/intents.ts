/** Lists and shows intents of test environments. @module */
import type { IntentPage, ShownIntent } from '../../shared/sandbox-api.ts'
import { type Database, Fragment } from '../db/database.ts'
import { columns } from '../intents/columns.ts'
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

/** Returns the orders of intents, by the ids of these. */
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
  /** Part of an id, order id, customer, card brand, or last four digits. `null` matches all. */
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

/** Reads a page of intents, newest first. It can have few matches, or none, although older ones match. */
export async function listIntents(
  { db, intents: store }: SandboxStore,
  { environment, before, term, status }: IntentSearch,
): Promise<IntentPage> {
  // Pages examine the newest intents first, and an id can be of an old one.
  const named = term === null ? undefined : (await load(store, term))?.intent
  if (named?.environmentId === environment.id && (status ?? named.status) === named.status) {
    return { intents: [merchantView(named)], next: null }
  }
  const [begin] =
    before === undefined
      ? [{ createdAt: 'infinity', id: '' }]
      : await db.query<Position>`
        select created_at::text as "createdAt", id from intents where id = ${before}`
  if (!begin) return { intents: [], next: null }
  const at = environmentNow(environment, store.now())
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
       and (${term}::text is null or position(lower(${term}) in ${searched}) > 0)
     order by created_at desc, id desc limit ${pageLength + 1}`
  const page = rows.slice(0, pageLength)
  // The reaper writes what these deadlines change.
  const intents = page
    .map((intent) => afterDeadlines(intent, at))
    .filter((intent) => status === null || intent.status === status)
  const end = rows.length > pageLength ? page.at(-1) : older && last
  return { intents: intents.map(merchantView), next: end?.id ?? null }
}

// The default collation, because `lower` changes only ASCII letters in the collation of ids.
const searched = new Fragment(`
  lower(concat_ws(' ', id, order_id, customer->>'id', customer->>'email', customer->>'name',
                  state->'confirmations'->-1->'paymentMethod'->'card'->>'brand',
                  state->'confirmations'->-1->'paymentMethod'->'card'->>'last4')
        collate "default")`)
