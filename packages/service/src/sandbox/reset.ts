/** Resets and deletes test environments. A reset keeps merchants, keys, and origins. @module */
import type { Database } from '../db/database.ts'
import { findEnvironment } from '../merchants/environments.ts'
import { deleteTestEnvironment } from '../merchants/merchants.ts'

/** Resets one or all. Returns the number of deleted intents, or `undefined` if the id is unknown. */
export async function resetEnvironments(
  db: Database,
  environmentId: string | undefined,
): Promise<number | undefined> {
  const only = environmentId ?? null
  const environments = await db.query<{ id: string }>`
    update environments set clock_offset = 0
     where mode = 'test' and (${only}::text is null or id = ${only}) returning id`
  if (environments.length === 0 && only !== null) return undefined
  let deleted = 0
  try {
    for (const { id } of environments) deleted += await deleteIntents(db, id)
  } finally {
    // Also after an error, because a part is deleted.
    db.notify('environments')
  }
  return deleted
}

/** Deletes a test environment with keys and intents, and its merchant unless it has a live one. */
export async function deleteEnvironment(db: Database, id: string): Promise<boolean> {
  const environment = await findEnvironment(db, id)
  if (environment?.mode !== 'test') return false
  await deleteIntents(db, id)
  return await db.transaction(async (tx) => await deleteTestEnvironment(tx, id))
}

/** Number of intents in a batch, which takes less than 50 milliseconds. */
const batchSize = 100

/**
 * Deletes in batches, so that other requests are served in between and no statement reaches its timeout. Intents that
 * are created in the meantime can remain. Returns the number of deleted intents.
 */
async function deleteIntents(db: Database, environmentId: string): Promise<number> {
  let deleted = 0
  // Each batch begins where the last one ended. From the beginning, it would read the deleted rows again.
  for (let begin = '-infinity'; ; ) {
    const batch = await db.query<{ id: string; createdAt: string }>`
      select id, created_at::text as "createdAt" from intents
       where environment_id = ${environmentId} and created_at >= ${begin}::timestamptz
       order by created_at limit ${batchSize}`
    const rows = await db.query`
      delete from intents where id = any(${batch.map(({ id }) => id)}) returning id`
    deleted += rows.length
    if (batch.length < batchSize) return deleted
    begin = batch.at(-1)?.createdAt ?? begin
  }
}
