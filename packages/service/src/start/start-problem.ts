/** Says why a start failed. @module */
import { readOnly, StoreError } from '../db/errors.ts'
import { isExplained } from '../explained-error.ts'

/** Returns a line with its fix for each problem, or `undefined` if the error is not explained. */
export function startProblem(error: unknown): string | undefined {
  if (error instanceof Error && isExplained(error)) return error.message
  if (!(error instanceof StoreError && error.unavailable)) return undefined
  return error.code === readOnly
    ? 'The database is read-only, or a standby. Set PI_DATABASE_URL to the primary, and leave default_transaction_read_only off.'
    : `The database cannot be reached (${error.code}). Check that it is running, and that --database-url or PI_DATABASE_URL names it.`
}
