/**
 * Reads Payment Intents, many waiting requests in one statement.
 *
 * @module
 */
import { batch } from '../db/batch.ts'
import { type Database, isOneRowsFault } from '../db/database.ts'
import {
  type IntentKey,
  type IntentRow,
  intentColumns,
  intentOf,
  type StoredIntent,
} from './store.ts'

/**
 * Returns the function that reads an intent of one environment, without applying deadlines.
 *
 * Unknown and foreign cost the same one look-up and give the same `undefined`.
 */
export function retrievals(db: Database): (key: IntentKey) => Promise<StoredIntent | undefined> {
  return batch({
    run: async (keys) => {
      const ids = keys.map(({ id }) => id)
      const environments = [...new Set(keys.map(({ environmentId }) => environmentId))]
      const rows = await db.query<IntentRow>`
        select ${intentColumns} from payment_intents
         where id = any(${ids}) and environment_id = any(${environments})`
      const found = new Map(rows.map((row) => [row.id, intentOf(row)]))
      return keys.map(({ id, environmentId }) => {
        const intent = found.get(id)
        return intent?.environmentId === environmentId ? intent : undefined
      })
    },
    separable: isOneRowsFault,
    lanes: db.kind === 'pglite' ? 1 : 2,
    size: 64,
    waiting: 4096,
  })
}
