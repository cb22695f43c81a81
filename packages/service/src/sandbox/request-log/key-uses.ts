/** Counts the requests of a log by idempotency key and result. @module */
import type { KeyUse } from '../../../shared/sandbox-api.ts'
import type { LogEntry } from './entry.ts'

/** @param entries - Newest first, as the result is. */
export function keyUses(entries: readonly LogEntry[]): readonly Omit<KeyUse, 'orderId'>[] {
  const creates = entries.flatMap(({ request }) => {
    const { operation, environment, idempotencyKey, status } = request
    const isCounted = operation === 'create' && environment !== null && results.has(status)
    return isCounted && idempotencyKey !== null
      ? [{ ...request, key: bareKey(idempotencyKey) }]
      : []
  })
  return [...new Set(creates.map(({ key }) => key))].map((key) => {
    const uses = creates.filter((each) => each.key === key)
    const count = (status: number) => uses.filter((each) => each.status === status).length
    return {
      key,
      intentId: uses.find(({ intentId }) => intentId !== null)?.intentId ?? null,
      requests: uses.length,
      replays: uses.filter(({ replayed }) => replayed).length,
      conflicts: count(422),
      waits: count(409),
      lost: count(0),
      lastAt: uses[0]?.at ?? '',
    }
  })
}

const results: ReadonlySet<number> = new Set([0, 201, 409, 422])

/** Returns a key without the quotes of a structured field. */
export function bareKey(sent: string): string {
  return sent.startsWith('"') ? sent.slice(1, -1) : sent
}
