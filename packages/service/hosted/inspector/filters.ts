/** The filters of the lists. They outlive the views, which are created again with each change of section. @module */

/** Filter of intents. The service applies both. */
export interface IntentFilter {
  readonly q: string
  readonly status: string
  /** Id of the intent before the page, or `''` for the newest page. */
  readonly before: string
}

export interface RequestFilter {
  readonly q: string
  /** `failed`, an operation, or `''` for all requests. */
  readonly show: string
  /** Idempotency key of the creates, or `''` for all requests. */
  readonly key: string
  /** Number of the request before the page, or 0 for the newest page. */
  readonly before: number
}

/** Filter of idempotency keys, applied in the page. */
export interface KeyFilter {
  readonly q: string
  /** What a key must have, or `''` for all keys. */
  readonly show: '' | 'replays' | 'conflicts' | 'lost'
}

/** The service accepts no longer search term. */
export const maxSearchLength = 200

export const anyIntent: IntentFilter = { q: '', status: '', before: '' }
export const anyRequest: RequestFilter = { q: '', show: '', key: '', before: 0 }
export const anyKey: KeyFilter = { q: '', show: '' }

export function isUnfiltered(filter: IntentFilter | KeyFilter | RequestFilter): boolean {
  return !Object.values(filter).some(Boolean)
}
