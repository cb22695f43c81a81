/** Merchants, their environments, and the origins whose pages may show a checkout. @module */
import type { Queryable } from '../db/database.ts'
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

/** Creates a merchant if it does not exist. Returns whether this call created it. */
export async function ensureMerchant(db: Queryable, name: string, now: Date): Promise<boolean> {
  const created = await db.query`
    insert into merchants (id, name, created_at)
    values (${`mer_${randomBase62(16)}`}, ${name}, ${now}) on conflict (name) do nothing
    returning id`
  if (created.length === 0) return false
  db.notify('environments')
  return true
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
    delete from merchants m
     where id = ${deleted.merchantId}
       and not exists (select from environments e where e.merchant_id = m.id)`
  db.notify('environments')
  return true
}

export async function findEnvironmentByName(
  db: Queryable,
  { merchant, mode }: EnvironmentName,
): Promise<Environment | undefined> {
  const [environment] = await db.query<Environment>`
    ${selectEnvironment}
     where m.name = ${merchant} and e.mode = ${mode}`
  return environment
}

export async function firstMerchant(db: Queryable): Promise<string | undefined> {
  const [merchant] = await db.query<{ name: string }>`
    select name from merchants order by created_at, id limit 1`
  return merchant?.name
}

/** Registers an origin unless it is registered. Returns all origins of the environment. */
export async function addOrigin(
  db: Queryable,
  { environmentId, origin }: { readonly environmentId: string; readonly origin: string },
): Promise<readonly string[]> {
  const [row] = await db.query<{ origins: string[] }>`
    update environments
       set allowed_origins = case when ${origin} = any(allowed_origins) then allowed_origins
                                  else array_append(allowed_origins, ${origin}) end
     where id = ${environmentId}
    returning allowed_origins as origins`
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

export interface ListedEnvironment {
  readonly merchant: string
  readonly environment: Environment['mode']
  /** Number of keys that are neither revoked nor expired. */
  readonly workingKeys: number
  readonly origins: readonly string[]
  readonly createdAt: Date
}

export async function listEnvironments(db: Queryable, now: Date): Promise<ListedEnvironment[]> {
  return await db.query<ListedEnvironment>`
    select m.name as merchant, e.mode as environment, e.allowed_origins as origins,
           (select count(*) from api_keys k where k.environment_id = e.id and k.revoked_at is null
              and (k.expires_at is null or k.expires_at > ${now})) as "workingKeys",
           e.created_at as "createdAt"
      from environments e join merchants m on m.id = e.merchant_id
     order by e.created_at, e.id`
}
