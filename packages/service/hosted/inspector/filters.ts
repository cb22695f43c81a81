/** The filters of the lists. They outlive the views, which are created again with each change of section. @module */

/** Filter of intents, applied by the service. */
export interface IntentFilter {
  readonly q: string
  readonly status: string
}

/** Filter of requests in the log. The service applies `q`. */
export interface RequestFilter {
  readonly q: string
  readonly operation: string
  /** Errors only. */
  readonly failed: boolean
}

/** The service accepts no longer search term. */
export const maxSearchLength = 200

export const anyIntent: IntentFilter = { q: '', status: '' }
export const anyRequest: RequestFilter = { q: '', operation: '', failed: false }

/** Returns whether a filter matches everything. */
export function isUnfiltered(filter: IntentFilter | RequestFilter): boolean {
  return !Object.values(filter).some(Boolean)
}
