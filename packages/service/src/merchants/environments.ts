/** Test and live environments of merchants. A secret API key selects one. @module */
import { batch } from '../db/batch.ts'
import { type Database, Fragment, type Queryable } from '../db/database.ts'

export interface Environment {
  readonly id: string
  readonly merchantName: string
  readonly mode: 'test' | 'live'
  /** Exact origins whose pages may show the checkout. */
  readonly allowedOrigins: readonly string[]
  /** Milliseconds by which the environment's clock is ahead. 0 for live environments. */
  readonly clockOffset: number
  /** Hexadecimal, mixed into the hashes of idempotency keys and bodies. */
  readonly idempotencySalt: string
}

export async function findEnvironment(db: Queryable, id: string): Promise<Environment | undefined> {
  return (await findEnvironments(db, [id])).get(id)
}

export async function findEnvironments(
  db: Queryable,
  ids: readonly string[],
): Promise<ReadonlyMap<string, Environment>> {
  const found = await db.query<Environment>`
    ${selectEnvironment}
     where e.id = any(${[...new Set(ids)]})`
  return new Map(found.map((environment) => [environment.id, environment]))
}

/** Returns the function that reads an environment. Concurrent reads share a statement. */
export function environmentLookUps(db: Database): (id: string) => Promise<Environment | undefined> {
  return batch({
    run: async (ids: readonly string[]) => {
      const found = await findEnvironments(db, ids)
      return ids.map((id) => found.get(id))
    },
    separable: () => false,
    commits: false,
    kind: db.kind,
  })
}

/** The statement of environments, up to a condition: `e` is the environment, `m` its merchant. */
export const selectEnvironment = new Fragment(`
  select e.id, m.name as "merchantName", e.mode, e.allowed_origins as "allowedOrigins",
         e.clock_offset as "clockOffset", encode(e.idempotency_salt, 'hex') as "idempotencySalt"
    from environments e left join merchants m on m.id = e.merchant_id`)

/** Returns the time of an environment. The clock of a test environment may be ahead. */
export function environmentNow(environment: Pick<Environment, 'clockOffset'>, now: Date): Date {
  return new Date(now.getTime() + environment.clockOffset)
}
