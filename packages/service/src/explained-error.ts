/** Errors whose messages the service wrote for a reader, with the fix, and codes of all others. @module */

/** Thrown if a message says all that its reader needs. It is shown in full. */
export class ExplainedError extends Error {}

/** Thrown if a setting, the host, or the store does not allow a start. Callers get a TypeError. */
export class SettingError extends TypeError {}

/** Returns whether an error has a message of the service. */
export function isExplained(error: Error): boolean {
  return error instanceof ExplainedError || error instanceof SettingError
}

/** Returns the code of an error, such as `ENOENT`. */
export function codeOf(error: unknown): string | undefined {
  return error instanceof Error && 'code' in error ? String(error.code) : undefined
}
