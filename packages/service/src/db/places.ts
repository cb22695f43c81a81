/** Limits how many connections of the store the requests of clients without credentials use. @module */
import type { Database } from './database.ts'
import { Overloaded } from './errors.ts'

/** Connections for these requests. The embedded store has one, so that one of their statements is in its queue. */
const places: Readonly<Record<Database['kind'], number>> = { pglite: 1, postgres: 2 }

/** Maximum number of waiting statements and transactions. Beyond it, `Overloaded` is thrown. */
const maxWaiting = 1000

/** Returns the same store with a separate queue, so that these requests do not delay creates and retrieves. */
export function withPlaces(db: Database): Database {
  const waiting: (() => void)[] = []
  let free = places[db.kind]

  async function inPlace<Result>(work: () => Promise<Result>): Promise<Result> {
    if (free > 0) free--
    else if (waiting.length >= maxWaiting) throw new Overloaded()
    else await new Promise<void>((resolve) => void waiting.push(resolve))
    try {
      return await work()
    } finally {
      // The place goes to the next one without becoming free.
      const next = waiting.shift()
      if (next) next()
      else free++
    }
  }

  return {
    ...db,
    query: async (text, ...values) => await inPlace(async () => await db.query(text, ...values)),
    transaction: async (work) => await inPlace(async () => await db.transaction(work)),
  }
}
