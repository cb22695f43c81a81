/** Merchants, their environments, and the origins whose pages may show a checkout. @module */
import { randomBytes } from 'node:crypto'
import { controlCharacters } from '@pi-checkout/contract'
import { ExplainedError } from '../explained-error.ts'
import { randomBase62 } from '../ids.ts'
import type { Database } from '../store/database.ts'
import { sql } from '../store/sql.ts'
import { createApiKey } from './api-keys.ts'
import {
  type Environment,
  type EnvironmentRow,
  environmentColumns,
  environmentOf,
  environmentTables,
} from './environments.ts'

/** Returns whether a name has 1 to 128 characters, and none that controls a terminal or the direction of text. */
export function isMerchantName(name: string): boolean {
  return name.length > 0 && name.length <= 128 && !controlCharacters.test(name)
}

export interface EnvironmentName {
  readonly merchant: string
  readonly mode: Environment['mode']
}

/**
 * Returns an environment. Creates it, and its merchant, if they are missing.
 *
 * @param name - `origins`: those of a new environment.
 * @throws {TooManyOrigins} If the origins would be too long.
 */
export async function ensureEnvironment(
  db: Database,
  { merchant, mode, origins = [] }: EnvironmentName & { readonly origins?: readonly string[] },
  now: Date,
): Promise<Environment> {
  const at = now.getTime()
  const salt = randomBytes(32).toString('hex')
  const list = stored(origins)
  await db.query(sql`
    insert into merchants (id, name, created_at)
    values (${`mer_${randomBase62(16)}`}, ${merchant}, ${at}) on conflict (name) do nothing`)
  await db.query(sql`
    insert into environments (id, merchant_id, mode, allowed_origins, idempotency_salt, created_at)
    values (${`env_${randomBase62(16)}`}, (select id from merchants where name = ${merchant}),
            ${mode}, ${list}, ${salt}, ${at})
    on conflict (merchant_id, mode) do nothing`)
  const environment = await findEnvironmentByName(db, { merchant, mode })
  if (!environment) throw new Error('The environment was deleted while it was created')
  return environment
}

/** Creates a test environment of a new merchant, with a key. @throws {TooManyOrigins} If the origins would be too long. */
export async function createTestEnvironment(
  db: Database,
  { origins, now }: { readonly origins: readonly string[]; readonly now: Date },
): Promise<{ readonly environment: Environment; readonly apiKey: string }> {
  const name = { merchant: `Test ${randomBase62(12)}`, mode: 'test' } as const
  const environment = await ensureEnvironment(db, { ...name, origins }, now)
  const { apiKey } = await createApiKey(db, { environment, now })
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

export async function listEnvironments(db: Database): Promise<Environment[]> {
  const rows = await db.query<EnvironmentRow>(sql`
    select ${environmentColumns} from ${environmentTables} order by e.created_at, e.id`)
  return rows.map(environmentOf)
}

/**
 * Maximum number of characters of all origins of an environment. A response header lists them, and proxies limit its size:
 * HAProxy to 15 KB, nginx to the `proxy_buffer_size` of the guide.
 */
const maxOriginsLength = 4000

/** Thrown if an origin does not fit. */
export class TooManyOrigins extends ExplainedError {
  override readonly name = 'TooManyOrigins'
  override readonly message =
    `origin: the origins of an environment must have at most ${maxOriginsLength} characters together, because a response header lists them. Remove one with pi-service origins remove.`
}

/** Registers an origin. Returns all of the environment. @throws {TooManyOrigins} If they would be too long. */
export async function addOrigin(
  db: Database,
  { environmentId, origin }: { readonly environmentId: string; readonly origin: string },
): Promise<readonly string[]> {
  const changed = await changeOrigins(db, environmentId, (origins) => [...origins, origin])
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
    const [written] = await db.query<{ origins: string }>(sql`
      update environments set allowed_origins = ${stored(origins)}
       where id = ${id} and allowed_origins = ${row.origins} returning allowed_origins as origins`)
    if (!written) continue
    db.notify('environments')
    return JSON.parse(written.origins)
  }
}

/** Returns the text of a list, with each origin once. @throws {TooManyOrigins} */
function stored(origins: readonly string[]): string {
  const unique = [...new Set(origins)]
  if (unique.join(' ').length > maxOriginsLength) throw new TooManyOrigins()
  return JSON.stringify(unique)
}
