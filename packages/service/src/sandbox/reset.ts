/** Resets test environments: deletes intents and resets clocks. Keeps merchants, keys, and origins. @module */
import type { Database } from '../db/database.ts'

/** Resets one or all. Returns the number of deleted intents, or `undefined` if the id is unknown. */
export async function resetEnvironments(
  db: Database,
  environmentId: string | undefined,
): Promise<number | undefined> {
  const only = environmentId ?? null
  return await db.transaction(async (tx) => {
    const environments = await tx.query`
      update environments set clock_offset = 0
       where mode = 'test' and (${only}::text is null or id = ${only}) returning id`
    if (environments.length === 0 && only !== null) return undefined
    const deleted = await tx.query`
      delete from payment_intents
       where environment_id in (
         select id from environments
          where mode = 'test' and (${only}::text is null or id = ${only}))
      returning id`
    tx.notify('environments')
    return deleted.length
  })
}
