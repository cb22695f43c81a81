/** The clock of a test environment. Setting it back does not undo an expiry. @module */
import { z } from 'zod'
import type { Queryable } from '../db/database.ts'

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
  db: Queryable,
  environmentId: string,
  change: SetClock,
): Promise<number | undefined> {
  const [factor, add] = 'offset' in change ? [0, change.offset] : [1, change.advance]
  const [row] = await db.query<{ clockOffset: number }>`
    update environments
       set clock_offset = greatest(${-maxClockOffset}::bigint,
             least(${maxClockOffset}::bigint, clock_offset * ${factor}::bigint + ${add}::bigint))
     where id = ${environmentId} and mode = 'test'
    returning clock_offset as "clockOffset"`
  db.notify('environments')
  return row?.clockOffset
}
