/** Errors whose messages the service wrote for a reader, with the fix. They are shown in full. @module */

/** Thrown if a message says all that its reader needs. */
export class ExplainedError extends Error {}

/** Thrown if a setting, the host, or the store does not allow a start. Callers get a TypeError. */
export class SettingError extends TypeError {}

/** Returns whether an error has a message of the service. */
export function isExplained(error: Error): boolean {
  return error instanceof ExplainedError || error instanceof SettingError
}
