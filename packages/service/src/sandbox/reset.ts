/**
 * Empties test environments: deletes intents and clock, keeps merchants, keys and origins.
 *
 * @module
 */
import type { Database } from '../db/database.ts'

/**
 * Empties one test environment, or all of them.
 *
 * @returns How many intents were deleted, or `undefined` if no test environment has this id.
 */
export async function resetEnvironments(
  db: Database,
  environmentId: string | undefined,
): Promise<number | undefined> {
  const only = environmentId ?? null
  return await db.transaction(async (tx) => {
    const emptied = await tx.query`
      update environments set clock_offset = 0
       where mode = 'test' and (${only}::text is null or id = ${only}) returning id`
    if (emptied.length === 0 && only !== null) return undefined
    const gone = await tx.query`
      delete from payment_intents
       where environment_id in (
         select id from environments
          where mode = 'test' and (${only}::text is null or id = ${only}))
      returning id`
    return gone.length
  })
}
