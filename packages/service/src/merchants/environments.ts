/** Test and live environments of merchants. A secret API key selects one. @module */
import type { Database } from '../store/database.ts'
import { Fragment, named } from '../store/sql.ts'

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

export interface EnvironmentRow extends Omit<Environment, 'allowedOrigins'> {
  readonly allowedOrigins: string
}

/** The columns and tables of {@link EnvironmentRow}: `e` is the environment, `m` its merchant. */
export const environmentColumns = new Fragment(`
  e.id, m.name as "merchantName", e.mode, e.allowed_origins as "allowedOrigins",
  e.clock_offset as "clockOffset", e.idempotency_salt as "idempotencySalt"`)
export const environmentTables = new Fragment(
  'environments e join merchants m on m.id = e.merchant_id',
)

export function environmentOf({ id, merchantName, mode, ...row }: EnvironmentRow): Environment {
  const { allowedOrigins, clockOffset, idempotencySalt } = row
  const origins = JSON.parse(allowedOrigins) as string[] // This service wrote it.
  return { id, merchantName, mode, allowedOrigins: origins, clockOffset, idempotencySalt }
}

export async function findEnvironment(db: Database, id: string): Promise<Environment | undefined> {
  const [row] = await db.query<EnvironmentRow>(named('find_environment')`
    select ${environmentColumns} from ${environmentTables} where e.id = ${id}`)
  return row && environmentOf(row)
}

/** Returns the time of an environment. The clock of a test environment may be ahead. */
export function environmentNow(environment: Pick<Environment, 'clockOffset'>, now: Date): Date {
  return new Date(now.getTime() + environment.clockOffset)
}
