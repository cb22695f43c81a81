/** Merchants, their environments, and the origins whose pages may show a checkout. @module */
import { randomBytes } from 'node:crypto'
import { ExplainedError } from '../explained-error.ts'
import { randomBase62 } from '../ids.ts'
import type { Database } from '../store/database.ts'
import { type Statement, sql } from '../store/sql.ts'
import { newApiKey } from './api-keys.ts'
import {
  type Environment,
  type EnvironmentRow,
  environmentColumns,
  environmentOf,
  environmentTables,
} from './environments.ts'

export interface EnvironmentName {
  readonly merchant: string
  readonly mode: Environment['mode']
}

export async function ensureEnvironment(
  db: Database,
  { merchant, mode }: EnvironmentName,
  now: Date,
): Promise<Environment> {
  await db.transaction(insertEnvironment({ merchant, mode, now }))
  db.notify('environments')
  const environment = await findEnvironmentByName(db, { merchant, mode })
  if (!environment) throw new Error('The environment was deleted while it was created')
  return environment
}

/** Inserts a merchant and an environment, unless they are there. */
function insertEnvironment({
  merchant,
  mode,
  now,
  id = `env_${randomBase62(16)}`,
  origins = [],
}: EnvironmentName & {
  readonly now: Date
  readonly id?: string
  readonly origins?: readonly string[]
}): Statement[] {
  const at = now.getTime()
  const salt = randomBytes(32).toString('hex')
  return [
    sql`insert into merchants (id, name, created_at)
        values (${`mer_${randomBase62(16)}`}, ${merchant}, ${at}) on conflict (name) do nothing`,
    sql`insert into environments (id, merchant_id, mode, allowed_origins, idempotency_salt, created_at)
        values (${id}, (select id from merchants where name = ${merchant}), ${mode},
                ${JSON.stringify(origins)}, ${salt}, ${at})
        on conflict (merchant_id, mode) do nothing`,
  ]
}

/** Creates a test environment of a new merchant, with a key. @throws {TooManyOrigins} If the origins would be too long. */
export async function createTestEnvironment(
  db: Database,
  { origins, now }: { readonly origins: readonly string[]; readonly now: Date },
): Promise<{ readonly environment: Environment; readonly apiKey: string }> {
  const id = `env_${randomBase62(16)}`
  const merchant = `Test ${randomBase62(12)}`
  const unique = [...new Set(origins)]
  if (unique.join(' ').length > maxOriginsLength) throw new TooManyOrigins(id)
  const { apiKey, statement } = newApiKey({ environment: { id, mode: 'test' }, now })
  const created = insertEnvironment({ merchant, mode: 'test', now, id, origins: unique })
  await db.transaction([...created, statement])
  db.notify('environments')
  const environment = await findEnvironmentByName(db, { merchant, mode: 'test' })
  if (!environment) throw new Error('The environment was deleted while it was created')
  return { environment, apiKey }
}

/** Deletes a test environment with keys and intents, and its merchant unless it has a live one. */
export async function deleteTestEnvironment(db: Database, id: string): Promise<boolean> {
  const [deleted] = await db.query<{ merchantId: string }>(sql`
    delete from environments where id = ${id} and mode = 'test'
    returning merchant_id as "merchantId"`)
  if (!deleted) return false
  await db.query(sql`
    delete from merchants
     where id = ${deleted.merchantId}
       and not exists (select 1 from environments where merchant_id = merchants.id)`)
  db.notify('environments')
  return true
}

export async function findEnvironmentByName(
  db: Database,
  { merchant, mode }: EnvironmentName,
): Promise<Environment | undefined> {
  const [row] = await db.query<EnvironmentRow>(sql`
    select ${environmentColumns} from ${environmentTables}
     where m.name = ${merchant} and e.mode = ${mode}`)
  return row && environmentOf(row)
}

export async function firstMerchant(db: Database): Promise<string | undefined> {
  const [merchant] = await db.query<{ name: string }>(sql`
    select name from merchants order by created_at, id limit 1`)
  return merchant?.name
}

/**
 * Maximum number of characters of all origins of an environment. A response header lists them, and proxies limit its size:
 * HAProxy to 15 KB, nginx to the `proxy_buffer_size` of the guide.
 */
const maxOriginsLength = 4000

/** Thrown if an origin does not fit. */
export class TooManyOrigins extends ExplainedError {
  override readonly name = 'TooManyOrigins'

  constructor(environmentId: string) {
    super(
      `origin: the origins of ${environmentId} must have at most ${maxOriginsLength} characters together, because a response header lists them. Remove one with pi-service origins remove.`,
    )
  }
}

/** Registers an origin. Returns all of the environment. @throws {TooManyOrigins} If they would be too long. */
export async function addOrigin(
  db: Database,
  { environmentId, origin }: { readonly environmentId: string; readonly origin: string },
): Promise<readonly string[]> {
  const changed = await changeOrigins(db, environmentId, (origins) => {
    const added = origins.includes(origin) ? origins : [...origins, origin]
    if (added.join(' ').length > maxOriginsLength) throw new TooManyOrigins(environmentId)
    return added
  })
  return changed ?? []
}

/** Removes an origin. Returns the remaining origins, or `undefined` if it was not registered. */
export async function removeOrigin(
  db: Database,
  { environmentId, origin }: { readonly environmentId: string; readonly origin: string },
): Promise<readonly string[] | undefined> {
  return await changeOrigins(db, environmentId, (origins) =>
    origins.includes(origin) ? origins.filter((each) => each !== origin) : undefined,
  )
}

/** Writes a new list, again if another one was written in the meantime. `undefined` leaves it. */
async function changeOrigins(
  db: Database,
  id: string,
  change: (origins: readonly string[]) => readonly string[] | undefined,
): Promise<readonly string[] | undefined> {
  for (;;) {
    const [row] = await db.query<{ origins: string }>(sql`
      select allowed_origins as origins from environments where id = ${id}`)
    const origins = row && change(JSON.parse(row.origins))
    if (!origins) return undefined
    const written = await db.query(sql`
      update environments set allowed_origins = ${JSON.stringify(origins)}
       where id = ${id} and allowed_origins = ${row.origins} returning id`)
    if (written.length === 0) continue
    db.notify('environments')
    return origins
  }
}

export async function listTestEnvironments(db: Database): Promise<Environment[]> {
  const rows = await db.query<EnvironmentRow>(sql`
    select ${environmentColumns} from ${environmentTables}
     where e.mode = 'test' order by e.created_at, e.id`)
  return rows.map(environmentOf)
}

export interface ListedEnvironment {
  readonly merchant: string
  readonly environment: Environment['mode']
  /** Number of keys that are neither revoked nor expired. */
  readonly workingKeys: number
  readonly origins: readonly string[]
  readonly createdAt: Date
}

export async function listEnvironments(db: Database, now: Date): Promise<ListedEnvironment[]> {
  type Row = Omit<ListedEnvironment, 'origins' | 'createdAt'> & {
    readonly origins: string
    readonly createdAt: number
  }
  const rows = await db.query<Row>(sql`
    select m.name as merchant, e.mode as environment, e.allowed_origins as origins,
           e.created_at as "createdAt",
           (select count(*) from api_keys k
             where k.environment_id = e.id and k.revoked_at is null
               and (k.expires_at is null or k.expires_at > ${now.getTime()})) as "workingKeys"
      from ${environmentTables}
     order by e.created_at, e.id`)
  return rows.map(({ origins, createdAt, ...listed }) => ({
    ...listed,
    origins: JSON.parse(origins),
    createdAt: new Date(createdAt),
  }))
}
