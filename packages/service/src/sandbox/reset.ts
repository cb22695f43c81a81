/** Resets and deletes test environments. A reset keeps merchants, keys, and origins. @module */
import { deleteIntents, deleteLimit } from '../intents/statements.ts'
import { findEnvironment } from '../merchants/environments.ts'
import { deleteTestEnvironment } from '../merchants/merchants.ts'
import type { Database } from '../store/database.ts'
import { sql } from '../store/sql.ts'

/** Resets one or all. Returns the number of deleted intents, or `undefined` if the id is unknown. */
export async function resetEnvironments(
  db: Database,
  environmentId: string | undefined,
): Promise<number | undefined> {
  const environments = await db.query<{ id: string }>(sql`
    update environments set clock_offset = 0
     where mode = 'test' and id = coalesce(${environmentId ?? null}, id) returning id`)
  if (environments.length === 0 && environmentId !== undefined) return undefined
  let deleted = 0
  try {
    for (const { id } of environments) deleted += await deleteAll(db, id)
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
  await deleteAll(db, id)
  return await deleteTestEnvironment(db, id)
}

/** Deletes in batches, so that other requests are served in between. Intents that are created meanwhile can remain. */
async function deleteAll(db: Database, environmentId: string): Promise<number> {
  let deleted = 0
  for (;;) {
    const rows = await db.query(deleteIntents(environmentId))
    deleted += rows.length
    if (rows.length < deleteLimit) return deleted
  }
}
