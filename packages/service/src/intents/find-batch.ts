/**
 * Reads Payment Intents, many waiting requests in one statement and one value.
 *
 * @module
 */
import { batch, Failed } from '../db/batch.ts'
import { type Database, isOneRowsFault } from '../db/database.ts'
import { packedIntent, readIntent } from './intent-row.ts'
import type { IntentKey, RetrievedIntent } from './intents.ts'

/**
 * Returns the function that reads an intent of one environment, without applying deadlines.
 *
 * Unknown and foreign cost the same one look-up and give the same `undefined`.
 */
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

/** By id alone, so that the planner has no other index to take: the caller checks the environment. */
async function read(
  db: Database,
  ids: readonly string[],
): Promise<ReadonlyMap<string, RetrievedIntent | Failed>> {
  // One text for all: read row by row they cost twice as much, and as JSON half as much again.
  const [found] = await db.query<{ intents: string | null }>`
    select string_agg(${packedIntent}, chr(30)) as intents from payment_intents where id = any(${ids})`
  const rows = found?.intents?.split('\x1e') ?? []
  return new Map(rows.map((row) => [row.slice(0, row.indexOf('\x1f')), readRow(row)]))
}

/** A row that no version of this program wrote fails, and the others of its batch do not. */
function readRow(row: string): RetrievedIntent | Failed {
  try {
    return readIntent(row)
  } catch (error) {
    return new Failed(error)
  }
}
