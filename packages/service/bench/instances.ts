/**
 * One, two and three instances on one PostgreSQL, with keys that all of them get at once.
 *
 * @module
 */
import { load } from '../../../.ci/bench/load.ts'
import { randomBase62 } from '../src/identifiers.ts'
import { type Contestant, creation, type Load } from './contestants.ts'

/** What several instances did together. */
export interface Together {
  readonly perSecond: number
  /** Keys that more than one instance was sent, and the intents that they made. */
  readonly sharedKeys: number
  readonly sharedIntents: number
}

/** Every eighth key goes to each instance. An answer that is no 201 fails the run. */
export async function createTogether(
  instances: readonly Contestant[],
  { concurrency, seconds }: Load,
): Promise<Together> {
  const run = randomBase62(8)
  const shared = new Map<string, Set<string>>()
  const seen = (answer: string): void => {
    const { id, orderId } = JSON.parse(answer) as { id: string; orderId: string }
    if (orderId.startsWith('S')) shared.set(orderId, (shared.get(orderId) ?? new Set()).add(id))
  }
  const runs = await Promise.all(
    instances.map(async (instance, at) => {
      let count = 0
      const next = (): string => {
        const isShared = ++count % 8 === 0
        const key = isShared ? `${run}-${count}` : `${run}-${at}-${count}`
        return creation(instance, { key, orderId: `${isShared ? 'S' : 'A'}-${count}` })
      }
      const each = Math.floor(concurrency / instances.length)
      return await load({ port: instance.port, concurrency: each, seconds, next, seen })
    }),
  )
  return {
    perSecond: runs.reduce((sum, { perSecond }) => sum + perSecond, 0),
    sharedKeys: shared.size,
    sharedIntents: new Set([...shared.values()].flatMap((ids) => [...ids])).size,
  }
}
