/** Moves the clock of a test environment, and deletes its intents. @module */
import { z } from 'zod'
import { deleteIntents, deleteLimit } from '../intents/statements.ts'
import type { Database } from '../store/database.ts'
import { sql } from '../store/sql.ts'

/** Maximum distance from real time in milliseconds, which keeps dates in four-digit years. */
const maxOffset = 3650 * 24 * 60 * 60 * 1000
const Milliseconds = z.int().min(-maxOffset).max(maxOffset)

/** Change of a clock: an offset from real time, or a step from its current time, in milliseconds. */
export const SetClock = z.union([
  z.strictObject({ offset: Milliseconds }),
  z.strictObject({ advance: Milliseconds }),
])

/**
 * Sets a clock back without undoing an expiry that was read.
 *
 * @returns The offset in milliseconds. `undefined` if it would be too large.
 */
export async function setClock(
  db: Database,
  environmentId: string,
  change: z.infer<typeof SetClock>,
): Promise<number | undefined> {
  // An offset replaces the current one, and a step adds to it.
  const [factor, step] = 'offset' in change ? [0, change.offset] : [1, change.advance]
  const [changed] = await db.query<{ offset: number }>(sql`
    update environments set clock_offset = clock_offset * ${factor} + ${step}
     where id = ${environmentId} and mode = 'test'
       and clock_offset * ${factor} + ${step} between ${-maxOffset} and ${maxOffset}
    returning clock_offset as "offset"`)
  db.notify('environments')
  return changed?.offset
}

/**
 * Deletes all intents in batches, so that other requests are served in between. Intents that are created meanwhile can
 * remain. Returns their number.
 */
export async function clearEnvironment(db: Database, environmentId: string): Promise<number> {
  let deleted = 0
  try {
    for (;;) {
      const rows = await db.query(deleteIntents(environmentId))
      deleted += rows.length
      if (rows.length < deleteLimit) return deleted
    }
  } finally {
    // Also after an error, because a part is deleted.
    db.notify('environments')
  }
}
