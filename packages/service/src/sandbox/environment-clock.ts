/**
 * The clock of a test environment: set forward to see deadlines pass, back to see them again.
 *
 * What has expired stays expired: an intent's own times never run backwards.
 *
 * @module
 */
import { z } from 'zod'
import type { Queryable } from '../db/database.ts'

const day = 24 * 60 * 60 * 1000

/** Far enough for every deadline, near enough for every date format. Milliseconds. */
export const maxClockOffset = 3650 * day

/** What may be asked of a clock: an offset to real time, or a step from where it stands. */
export const SetClock = z.union([
  z.strictObject({ offset: z.int().min(-maxClockOffset).max(maxClockOffset) }),
  z.strictObject({ advance: z.int().min(-maxClockOffset).max(maxClockOffset) }),
])
export type SetClock = z.infer<typeof SetClock>

/**
 * Sets the clock.
 *
 * @returns The offset in milliseconds, or `undefined` when no test environment has this id.
 */
export async function setClock(
  db: Queryable,
  environmentId: string,
  asked: SetClock,
): Promise<number | undefined> {
  const [keep, add] = 'offset' in asked ? [0, asked.offset] : [1, asked.advance]
  const [row] = await db.query<{ clockOffset: number }>`
    update environments
       set clock_offset = greatest(${-maxClockOffset}::bigint,
             least(${maxClockOffset}::bigint, clock_offset * ${keep}::bigint + ${add}::bigint))
     where id = ${environmentId} and mode = 'test'
    returning clock_offset as "clockOffset"`
  return row?.clockOffset
}
