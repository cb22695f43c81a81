/**
 * Merchants, their environments, and the origins whose pages may show a checkout.
 *
 * @module
 */
import type { Queryable } from '../db/database.ts'
import { randomBase62, randomSalt } from '../ids.ts'
import { type Environment, environmentColumns } from './environments.ts'

/** A merchant's environment by names, as the command line has them. */
export interface EnvironmentName {
  readonly merchant: string
  readonly mode: Environment['mode']
}

/** Returns a merchant's environment, making both where they are missing. Safe to race. */
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
  if (!environment) throw new Error('An environment vanished while it was made')
  return environment
}

/** Makes a merchant where it is missing; `true` for the one of several racing calls that made it. */
export async function ensureMerchant(db: Queryable, name: string, now: Date): Promise<boolean> {
  const made = await db.query`
    insert into merchants (id, name, created_at)
    values (${`mer_${randomBase62(16)}`}, ${name}, ${now}) on conflict (name) do nothing
    returning id`
  return made.length > 0
}

/** Finds a merchant's environment by names. */
export async function findEnvironmentByName(
  db: Queryable,
  { merchant, mode }: EnvironmentName,
): Promise<Environment | undefined> {
  const [environment] = await db.query<Environment>`
    select ${environmentColumns}
      from environments e join merchants m on m.id = e.merchant_id
     where m.name = ${merchant} and e.mode = ${mode}`
  return environment
}

/** Returns the name of the merchant that was there first. */
export async function firstMerchant(db: Queryable): Promise<string | undefined> {
  const [merchant] = await db.query<{ name: string }>`
    select name from merchants order by created_at, id limit 1`
  return merchant?.name
}

/** Registers an origin; a second time changes nothing. Returns all of the environment's origins. */
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
  return row?.origins ?? []
}

/** Takes an origin out; `undefined` when it was not registered. Returns those that are left. */
export async function removeOrigin(
  db: Queryable,
  { environmentId, origin }: { readonly environmentId: string; readonly origin: string },
): Promise<readonly string[] | undefined> {
  const [row] = await db.query<{ origins: string[] }>`
    update environments set allowed_origins = array_remove(allowed_origins, ${origin})
     where id = ${environmentId} and ${origin} = any(allowed_origins)
    returning allowed_origins as origins`
  return row?.origins
}

/** An environment with what it has, as a list shows it. */
export interface ListedEnvironment {
  readonly merchant: string
  readonly environment: Environment['mode']
  /** Keys that are neither revoked nor expired. */
  readonly workingKeys: number
  readonly origins: readonly string[]
  readonly createdAt: Date
}

/** Lists the environments of all merchants, the oldest first. */
export async function listEnvironments(db: Queryable, now: Date): Promise<ListedEnvironment[]> {
  return await db.query<ListedEnvironment>`
    select m.name as merchant, e.mode as environment, e.allowed_origins as origins,
           (select count(*) from api_keys k where k.environment_id = e.id and k.revoked_at is null
              and (k.expires_at is null or k.expires_at > ${now})) as "workingKeys",
           e.created_at as "createdAt"
      from environments e join merchants m on m.id = e.merchant_id
     order by e.created_at, e.id`
}
