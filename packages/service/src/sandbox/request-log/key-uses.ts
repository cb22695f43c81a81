/** Counts requests by idempotency key and result, in this instance's log. @module */
import type { KeyUse } from '../../../shared/sandbox-api.ts'
import { bareKey, type LogEntry } from './logged-request.ts'

/** Creates an empty list of the `max` keys that were used last. */
export function createKeyUses(max: number) {
  const uses = new Map<string, Use>()
  return {
    count: (entry: LogEntry): void => {
      const { operation, environment, idempotencyKey, status, intentId, replayed, at } = entry
      const isCounted = [0, 201, 409, 422].includes(status)
      if (operation !== 'create' || !environment || idempotencyKey === undefined || !isCounted)
        return
      const key = bareKey(idempotencyKey)
      const name = `${environment} ${key}`
      let use = uses.get(name)
      if (!use) {
        const none = { requests: 0, replays: 0, conflicts: 0, waits: 0, lost: 0 }
        use = { key, environment, intentId, ...none, lastAt: at }
        uses.set(name, use)
        if (uses.size > max) uses.delete(uses.keys().next().value ?? '')
      }
      use.intentId = intentId ?? use.intentId
      use.requests++
      if (replayed) use.replays++
      if (status === 422) use.conflicts++
      if (status === 409) use.waits++
      if (status === 0) use.lost++
      use.lastAt = at
    },
    /** Returns the id of the intent that was created with the key of a request, if this instance recorded it. */
    intentOf: ({ environment, idempotencyKey = '' }: LogEntry): string | null =>
      uses.get(`${environment} ${bareKey(idempotencyKey)}`)?.intentId ?? null,
    list: (environmentId: string): readonly Omit<KeyUse, 'orderId'>[] =>
      [...uses.values()]
        .filter(({ environment }) => environment === environmentId)
        .sort((one, other) => other.lastAt.getTime() - one.lastAt.getTime())
        .map(({ key, environment: _, lastAt, ...numbers }) => ({
          key,
          ...numbers,
          lastAt: lastAt.toISOString(),
        })),
    clear: (environmentId: string | undefined): void => {
      for (const [name, { environment }] of uses) {
        if (environmentId === undefined || environment === environmentId) uses.delete(name)
      }
    },
  }
}

interface Use {
  readonly key: string
  readonly environment: string
  intentId: string | null
  requests: number
  replays: number
  conflicts: number
  waits: number
  lost: number
  lastAt: Date
}
