/** Reads the system clock, and corrects it by that of the database. @module */
import type { Logger } from 'pino'
import type { Database, Queryable } from './db/database.ts'

export function realNow(): Date {
  return new Date()
}

/** Maximum difference in milliseconds at which an instance uses its own time. Sessions tolerate 5 seconds. */
export const maxDifference = 2000
/** Difference in milliseconds beyond which an instance is not ready. */
export const maxCorrection = 60_000
/** A slower statement in milliseconds does not tell the time. */
const maxRoundTrip = 1000

/** Creates a clock on which the instances of a store agree. The embedded store has the clock of its machine. */
export function createClock(
  { db, log }: { readonly db: Pick<Database, 'kind' | 'query'>; readonly log: Logger },
  machineNow: () => Date = realNow,
) {
  let compared = false
  let level: 'agrees' | 'corrected' | 'unready' = 'agrees'
  /** Time of the database when `performance.now()` was 0. Does not move if the machine's clock is set. */
  let origin = 0
  let seconds = 0

  return {
    /** Returns the time of this machine, or that of the database if they differ by more than `maxDifference`. */
    now: (): Date => (level === 'agrees' ? machineNow() : new Date(origin + performance.now())),
    /** Compares the two times. If the store fails, this throws, and the last result stays. */
    compare: async (): Promise<void> => {
      if (db.kind === 'pglite') return
      const found = await compareClocks(db, machineNow)
      if (compared && found.roundTrip > maxRoundTrip) return
      compared = true
      const previous = level
      const difference = Math.abs(found.difference)
      seconds = Math.round(difference / 1000)
      origin = found.origin
      if (difference <= maxDifference) level = 'agrees'
      else level = difference <= maxCorrection ? 'corrected' : 'unready'
      if (level === previous) return
      if (level === 'agrees') log.info('The clocks of this machine and the database agree again')
      else if (level === 'corrected') log.warn(`${describe(seconds)} ${consequence}`)
      else log.error(`${describe(seconds)} ${consequence} /readyz returns 503.`)
    },
    /** Returns why this instance is not ready, or `undefined` if it may be. */
    fault: (): string | undefined => (level === 'unready' ? describe(seconds) : undefined),
  }
}

function describe(seconds: number): string {
  return `The clocks of this machine and the database differ by ${seconds} seconds.`
}

const consequence =
  'This instance uses the time of the database. Run a time service such as chrony on both.'

/** Compares clocks in the middle of a statement. All times are in milliseconds. */
export async function compareClocks(
  db: Pick<Queryable, 'query'>,
  now: () => Date,
): Promise<{ readonly difference: number; readonly roundTrip: number; readonly origin: number }> {
  const begin = performance.now()
  const [row] = await db.query<{ at: Date }>`select clock_timestamp() as at`
  const end = performance.now()
  const roundTrip = end - begin
  const middle = now().getTime() - roundTrip / 2
  const at = row?.at.getTime() ?? middle
  return { difference: Math.round(middle - at), roundTrip, origin: at - (begin + end) / 2 }
}
