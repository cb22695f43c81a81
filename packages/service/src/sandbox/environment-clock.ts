/** The clock of a test environment. Setting it back does not undo an expiry. @module */
import { z } from 'zod'
import { findEnvironment } from '../merchants/environments.ts'
import type { Database } from '../store/database.ts'
import { sql } from '../store/sql.ts'

const day = 24 * 60 * 60 * 1000

/** Maximum offset in milliseconds, which keeps dates in four-digit years. */
const maxClockOffset = 3650 * day

/** Change of a clock: an offset from real time, or a step from its current time, in milliseconds. */
export const SetClock = z.union([
  z.strictObject({ offset: z.int().min(-maxClockOffset).max(maxClockOffset) }),
  z.strictObject({ advance: z.int().min(-maxClockOffset).max(maxClockOffset) }),
])
export type SetClock = z.infer<typeof SetClock>

/** Returns the offset in milliseconds, or `undefined` if no test environment has this id. */
export async function setClock(
  db: Database,
  environmentId: string,
  change: SetClock,
): Promise<number | undefined> {
  for (;;) {
    const environment = await findEnvironment(db, environmentId)
    if (environment?.mode !== 'test') return undefined
    const { clockOffset: before } = environment
    const asked = 'offset' in change ? change.offset : before + change.advance
    const clockOffset = Math.max(-maxClockOffset, Math.min(maxClockOffset, asked))
    // Again, if another request has changed it in the meantime.
    const written = await db.query(sql`
      update environments set clock_offset = ${clockOffset}
       where id = ${environmentId} and clock_offset = ${before} returning id`)
    if (written.length === 0) continue
    db.notify('environments')
    return clockOffset
  }
}
