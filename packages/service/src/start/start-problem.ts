/** Says why a start failed. @module */
import { isExplained } from '../explained-error.ts'
import { StoreError } from '../store/errors.ts'

/** Returns a line with its fix for each problem, or `undefined` if the error is not explained. */
export function startProblem(error: unknown): string | undefined {
  if (error instanceof Error && isExplained(error)) return error.message
  if (!(error instanceof StoreError && error.unavailable)) return undefined
  return error.code.startsWith('SQLITE')
    ? `The data directory cannot be read or written (${error.code}). Free some space, or restore it from a backup.`
    : `The database cannot be reached or written (${error.code}). Check that it is running, and that --database-url or PI_DATABASE_URL names the primary.`
}
