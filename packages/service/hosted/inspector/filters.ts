/**
 * What the lists are to hold. It outlives the views, which every change of section builds anew.
 *
 * @module
 */

/** Of intents, in the whole store. An empty text asks for nothing. */
export interface IntentFilter {
  readonly q: string
  readonly status: string
}

/** Of requests, in the log. */
export interface RequestFilter {
  readonly q: string
  readonly operation: string
  /** Errors alone. */
  readonly failed: boolean
}

/** The service looks for no longer text. */
export const maxSought = 200

export const everyIntent: IntentFilter = { q: '', status: '' }
export const everyRequest: RequestFilter = { q: '', operation: '', failed: false }

/** Whether a filter lets everything through. */
export function isOpen(filter: IntentFilter | RequestFilter): boolean {
  return !Object.values(filter).some(Boolean)
}
