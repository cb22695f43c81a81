/**
 * Test and live environments of merchants, and the origins whose pages may show a checkout. A secret API key selects an
 * environment.
 *
 * @module
 */
import { ProblemError } from '../http/problem.ts'
import { newId } from '../ids.ts'
import type { Database } from '../store/database.ts'
import { Fragment, named, sql } from '../store/sql.ts'

export interface EnvironmentName {
  /** Name of the merchant. */
  readonly merchantName: string
  readonly mode: 'test' | 'live'
}

export interface Environment extends EnvironmentName {
  readonly id: string
  /** Exact origins whose pages may show the checkout. */
  readonly allowedOrigins: readonly string[]
  /** Milliseconds by which the environment's clock is ahead. 0 for live environments. */
  readonly clockOffset: number
}

declare module 'fastify' {
  interface FastifyRequest {
    /** That of the API key of the merchant API, or that in a path of the sandbox API. */
    environment: Environment
  }
}

export interface EnvironmentRow extends Omit<Environment, 'allowedOrigins'> {
  readonly allowedOrigins: string
}

/** The columns of {@link EnvironmentRow}. */
export const environmentColumns = new Fragment(`
  e.id, e.merchant_name as "merchantName", e.mode, e.allowed_origins as "allowedOrigins",
  e.clock_offset as "clockOffset"`)

export function environmentOf(row: EnvironmentRow): Environment {
  const { id, merchantName, mode, clockOffset } = row
  const allowedOrigins = JSON.parse(row.allowedOrigins) as string[] // This service wrote it.
  return { id, merchantName, mode, allowedOrigins, clockOffset }
}

/** Returns the time of an environment. The clock of a test environment may be ahead. */
export function environmentNow(environment: Pick<Environment, 'clockOffset'>, now: Date): Date {
  return new Date(now.getTime() + environment.clockOffset)
}

export async function findEnvironment(db: Database, id: string): Promise<Environment | undefined> {
  const [row] = await db.query<EnvironmentRow>(named('find_environment')`
    select ${environmentColumns} from environments e where e.id = ${id}`)
  return row && environmentOf(row)
}

/**
 * Returns an environment. Creates it if it is missing.
 *
 * @param name - `origins`: those of a new environment.
 * @throws {ProblemError} If the origins would be too long.
 */
export async function ensureEnvironment(
  db: Database,
  { merchantName, mode, origins = [] }: EnvironmentName & { readonly origins?: readonly string[] },
  now: Date,
): Promise<Environment> {
  const id = newId('env_', 16)
  await db.query(sql`
    insert into environments (id, merchant_name, mode, allowed_origins, created_at)
    values (${id}, ${merchantName}, ${mode}, ${stored(origins)}, ${now.getTime()})
    on conflict (merchant_name, mode) do nothing`)
  const environment = await findEnvironmentByName(db, { merchantName, mode })
  if (!environment) throw new Error('The environment was deleted while it was created')
  return environment
}

export async function findEnvironmentByName(
  db: Database,
  { merchantName, mode }: EnvironmentName,
): Promise<Environment | undefined> {
  const [row] = await db.query<EnvironmentRow>(sql`
    select ${environmentColumns} from environments e
     where e.merchant_name = ${merchantName} and e.mode = ${mode}`)
  return row && environmentOf(row)
}

/** Returns all environments, in the order in which they were created. */
export async function listEnvironments(db: Database): Promise<Environment[]> {
  const rows = await db.query<EnvironmentRow>(sql`
    select ${environmentColumns} from environments e order by e.created_at, e.id`)
  return rows.map(environmentOf)
}

/**
 * Maximum number of characters of all origins of an environment. A response header lists them, and proxies limit its size:
 * HAProxy to 15 KB, nginx to the `proxy_buffer_size` of the guide.
 */
const maxOriginsLength = 4000

/**
 * Registers an origin, or removes it. Reads the list again if another one was written in the meantime.
 *
 * @returns All origins of the environment, or `undefined` if one to remove is not registered.
 * @throws {ProblemError} If they would be too long.
 */
export async function changeOrigin(
  db: Database,
  change: 'add' | 'remove',
  { environmentId: id, origin }: { readonly environmentId: string; readonly origin: string },
): Promise<readonly string[] | undefined> {
  for (;;) {
    const [row] = await db.query<{ origins: string }>(sql`
      select allowed_origins as origins from environments where id = ${id}`)
    const before: readonly string[] = JSON.parse(row?.origins ?? '[]')
    if (!row || (change === 'remove' && !before.includes(origin))) return undefined
    const after = change === 'add' ? [...before, origin] : before.filter((each) => each !== origin)
    const [written] = await db.query<{ origins: string }>(sql`
      update environments set allowed_origins = ${stored(after)}
       where id = ${id} and allowed_origins = ${row.origins} returning allowed_origins as origins`)
    if (!written) continue
    db.notify('environments')
    return JSON.parse(written.origins)
  }
}

/** Returns the text of a list, with each origin once. @throws {ProblemError} If they would be too long. */
function stored(origins: readonly string[]): string {
  const unique = [...new Set(origins)]
  if (unique.join(' ').length <= maxOriginsLength) return JSON.stringify(unique)
  throw new ProblemError(
    'validation_failed',
    `origin: the origins of an environment must have at most ${maxOriginsLength} characters together, because a response header lists them. Remove one with pi-service origins remove.`,
  )
}
