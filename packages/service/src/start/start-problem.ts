/** Says why a start failed. @module */
import { isExplained } from '../explained-error.ts'
import { isMixedUp, readOnly, StoreError } from '../store/errors.ts'

/** Returns a line with its fix for each problem, or `undefined` if the error is not explained. */
export function startProblem(error: unknown): string | undefined {
  if (error instanceof Error && isExplained(error)) return error.message
  if (!(error instanceof StoreError && error.unavailable)) return undefined
  if (isMixedUp(error)) {
    return `PI_DATABASE_URL: a pooler mixes the sessions of connections (${error.code}), as PgBouncer with pool_mode = transaction. Use pool_mode = session, or connect without a pooler.`
  }
  if (error.code.startsWith('SQLITE')) {
    return `The data directory cannot be read or written (${error.code}). Free some space, or restore it from a backup.`
  }
  return error.code === readOnly
    ? 'The database is read-only, or a standby. Set PI_DATABASE_URL to the primary, and leave default_transaction_read_only off.'
    : `The database cannot be reached (${error.code}). Check that it is running, and that --database-url or PI_DATABASE_URL names it.`
}
