/** Merchants, their environments, and the origins whose pages may show a checkout. @module */
import type { Queryable } from '../db/database.ts'
import { ExplainedError } from '../explained-error.ts'
import { randomBase62, randomSalt } from '../ids.ts'
import { type Environment, selectEnvironment } from './environments.ts'

export interface EnvironmentName {
  readonly merchant: string
  readonly mode: Environment['mode']
}

export async function ensureEnvironment(
  db: Queryable,
  { merchant, mode }: EnvironmentName,
  now: Date,
): Promise<Environment> {
  await ensureMerchant(db, merchant, now)
  await db.query`
    insert into environments (id, merchant_id, mode, idempotency_salt, created_at)
    select ${`env_${randomBase62(16)}`}, id, ${mode}, ${randomSalt(32)}, ${now}
      from merchants where name = ${merchant}
    on conflict (merchant_id, mode) do nothing`
  const environment = await findEnvironmentByName(db, { merchant, mode })
  if (!environment) throw new Error('The environment was deleted while it was created')
  return environment
}

async function ensureMerchant(db: Queryable, name: string, now: Date): Promise<void> {
  const created = await db.query`
    insert into merchants (id, name, created_at)
    values (${`mer_${randomBase62(16)}`}, ${name}, ${now}) on conflict (name) do nothing
    returning id`
  if (created.length > 0) db.notify('environments')
}

export async function createTestEnvironment(db: Queryable, now: Date): Promise<Environment> {
  const merchant = `Test ${randomBase62(12)}`
  return await ensureEnvironment(db, { merchant, mode: 'test' }, now)
}

/** Deletes a test environment with keys and intents, and its merchant unless it has a live one. */
export async function deleteTestEnvironment(db: Queryable, id: string): Promise<boolean> {
  const [deleted] = await db.query<{ merchantId: string }>`
    delete from environments where id = ${id} and mode = 'test'
    returning merchant_id as "merchantId"`
  if (!deleted) return false
  await db.query`
    delete from merchants
     where id = ${deleted.merchantId}
       and (select true from environments where merchant_id = ${deleted.merchantId} limit 1) is null`
  db.notify('environments')
  return true
}

export async function findEnvironmentByName(
  db: Queryable,
  { merchant, mode }: EnvironmentName,
): Promise<Environment | undefined> {
  const [environment] = await db.query<Environment>`
    ${selectEnvironment}
     where e.merchant_id = (select id from merchants where name = ${merchant}) and e.mode = ${mode}`
  return environment
}

export async function firstMerchant(db: Queryable): Promise<string | undefined> {
  const [merchant] = await db.query<{ name: string }>`
    select name from merchants order by created_at, id limit 1`
  return merchant?.name
}

/**
 * Maximum number of characters of all origins of an environment. A response header lists them, and proxies limit its size:
 * HAProxy to 15 KB, nginx to the `proxy_buffer_size` of the guide.
 */
export const maxOriginsLength = 4000

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
  db: Queryable,
  { environmentId, origin }: { readonly environmentId: string; readonly origin: string },
): Promise<readonly string[]> {
  const [row] = await db.query<{ origins: string[] }>`
    update environments
       set allowed_origins =
             case when ${origin} = any(allowed_origins)
                    or length(array_to_string(array_append(allowed_origins, ${origin}), ' ')) > ${maxOriginsLength}
                  then allowed_origins
                  else array_append(allowed_origins, ${origin}) end
     where id = ${environmentId}
    returning allowed_origins as origins`
  if (row && !row.origins.includes(origin)) throw new TooManyOrigins(environmentId)
  db.notify('environments')
  return row?.origins ?? []
}

/** Removes an origin. Returns the remaining origins, or `undefined` if it was not registered. */
export async function removeOrigin(
  db: Queryable,
  { environmentId, origin }: { readonly environmentId: string; readonly origin: string },
): Promise<readonly string[] | undefined> {
  const [row] = await db.query<{ origins: string[] }>`
    update environments set allowed_origins = array_remove(allowed_origins, ${origin})
     where id = ${environmentId} and ${origin} = any(allowed_origins)
    returning allowed_origins as origins`
  if (row) db.notify('environments')
  return row?.origins
}

export async function listTestEnvironments(db: Queryable): Promise<Environment[]> {
  return await db.query<Environment>`
    ${selectEnvironment}
     where e.mode = 'test' order by e.created_at, e.id`
}

export interface ListedEnvironment {
  readonly merchant: string
  readonly environment: Environment['mode']
  /** Number of keys that are neither revoked nor expired. */
  readonly workingKeys: number
  readonly origins: readonly string[]
  readonly createdAt: Date
}

export async function listEnvironments(db: Queryable, now: Date): Promise<ListedEnvironment[]> {
  const environments = await db.query<Omit<ListedEnvironment, 'workingKeys'> & { id: string }>`
    select e.id, m.name as merchant, e.mode as environment, e.allowed_origins as origins,
           e.created_at as "createdAt"
      from environments e left join merchants m on m.id = e.merchant_id
     order by e.created_at, e.id`
  const working = await db.query<{ environmentId: string; count: number }>`
    select environment_id as "environmentId", count(*) from api_keys
     where revoked_at is null and (expires_at is null or expires_at > ${now})
     group by environment_id`
  const counts = new Map(working.map(({ environmentId, count }) => [environmentId, count]))
  return environments.map(({ id, ...listed }) => ({
    ...listed,
    workingKeys: counts.get(id) ?? 0,
  }))
}
