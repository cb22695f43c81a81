/** Applies passed deadlines of intents that no request reads. Each instance has a reaper. @module */
import type { Logger } from 'pino'
import { logError } from '../log.ts'
import { type Environment, environmentNow } from '../merchants/environments.ts'
import { StoreError } from '../store/errors.ts'
import { type DueRow, dueLimit, listDue, listDueEnvironments } from './statements.ts'
import { createIntentStore, load, type StoreAndClock } from './store.ts'

/** Time between rounds in milliseconds. */
const interval = 10_000
/** Maximum pages of due intents in a round, so that a round does not block requests. */
const maxPages = 100

interface ReaperOptions extends StoreAndClock {
  readonly log: Logger
}

/** Starts a reaper. Returns the function that stops it, which waits for a running page. */
export function startReaper(options: ReaperOptions): () => Promise<void> {
  const stopping = new AbortController()
  const { signal } = stopping
  let round = Promise.resolve()
  const timer = setInterval(() => {
    round = round
      .then(async () => await reap(options, signal))
      .catch((error: unknown) => {
        if (signal.aborted) return
        logError(options.log, error, { event: 'A reaper round failed', level: 'warn' })
      })
  }, interval)
  timer.unref()
  return async () => {
    clearInterval(timer)
    stopping.abort()
    await round
  }
}

/** Runs one round: a page of each environment in turn, while it may have more. The signal ends it after a page. */
export async function reap(
  { db, now, log }: ReaperOptions,
  signal: AbortSignal = new AbortController().signal,
): Promise<void> {
  type Due = Pick<Environment, 'id' | 'clockOffset'>
  const store = createIntentStore({ db, now })

  /** Reads each due intent as a request would. One that fails is logged and left. */
  async function reapPage(environment: Due, after: DueRow): Promise<DueRow | undefined> {
    const at = environmentNow(environment, now())
    const due = await db.query<DueRow>(listDue(environment.id, { at, after }))
    await Promise.all(
      due.map(async ({ id }) => {
        await load(store, id).catch((error: unknown) => {
          if (error instanceof StoreError) throw error
          logError(log, error, { event: 'Cannot apply the deadline of an intent', level: 'warn' })
        })
      }),
    )
    return due.length === dueLimit ? due.at(-1) : undefined
  }

  const environments = await db.query<Due>(listDueEnvironments(now()))
  let waiting = environments.map((environment) => ({ environment, after: beginning }))
  for (let left = maxPages; waiting.length > 0; ) {
    const unfinished: typeof waiting = []
    for (const { environment, after } of waiting) {
      if (left-- === 0 || signal.aborted) return
      const last = await reapPage(environment, after)
      if (last) unfinished.push({ environment, after: last })
    }
    waiting = unfinished
  }
}

const beginning: DueRow = { dueAt: 0, id: '' }
