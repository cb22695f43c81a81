/** Reads Payment Intents. Concurrent requests share a statement. @module */
import { batch, Failed } from '../db/batch.ts'
import type { Database } from '../db/database.ts'
import { isOneRowsFault } from '../db/errors.ts'
import { type IntentKey, packedIntent, type RetrievedIntent, readIntent } from './intent-row.ts'

/** Reads intents without applying deadlines. Unknown ids and those of others take the same time. */
export function findBatch(db: Database): (key: IntentKey) => Promise<RetrievedIntent | undefined> {
  return batch({
    run: async (keys) => {
      const found = await read(
        db,
        keys.map(({ id }) => id),
      )
      return keys.map(({ id, environmentId }) => {
        const intent = found.get(id)
        if (intent instanceof Failed) return intent
        return intent?.environmentId === environmentId ? intent : undefined
      })
    },
    separable: isOneRowsFault,
    kind: db.kind,
  })
}

/** Selects by id alone, so that the planner uses its index. The caller checks the environment. */
async function read(
  db: Database,
  ids: readonly string[],
): Promise<ReadonlyMap<string, RetrievedIntent | Failed>> {
  // One text for all intents. Separate rows take twice the time, and JSON one and a half times.
  const [found] = await db.query<{ intents: string | null }>`
    select string_agg(${packedIntent}, chr(30)) as intents from payment_intents where id = any(${ids})`
  const rows = found?.intents?.split('\x1e') ?? []
  return new Map(rows.map((row) => [row.slice(0, row.indexOf('\x1f')), readRow(row)]))
}

/** Reads one row. An unreadable row fails without failing the rest of its batch. */
function readRow(row: string): RetrievedIntent | Failed {
  try {
    return readIntent(row)
  } catch (error) {
    return new Failed(error)
  }
}
