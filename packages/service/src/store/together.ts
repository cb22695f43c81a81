/**
 * Lets the statements of concurrent requests share a commit.
 *
 * There is no timer: they are collected until the end of the event loop's turn, and while all lanes are busy. So an idle
 * store adds no delay, and a busy one runs larger sets.
 *
 * @module
 */
import { isLockConflict, Overloaded, StoreError } from './errors.ts'
import type { Statement } from './sql.ts'

export interface Sharing {
  /** Runs a set. Returns the rows of each statement, in the same order, or the error with which it failed alone. */
  readonly run: (set: readonly Statement[]) => Promise<readonly (unknown[] | StoreError)[]>
  /** Maximum number of statements in a set, and of sets at the same time. */
  readonly size: number
  readonly lanes: number
  /** Of statements with the same key, a set has one. */
  readonly keyOf?: (statement: Statement) => unknown
}

interface Waiting {
  readonly statement: Statement
  readonly resolve: (rows: unknown[]) => void
  readonly reject: (error: unknown) => void
}

/** Maximum number of waiting statements. Beyond it, `Overloaded` is thrown. */
const maxWaiting = 4096

export function together({ run, size, lanes, keyOf = (statement) => statement }: Sharing) {
  const waiting = new Set<Waiting>()
  let running = 0
  let isScheduled = false

  function schedule(): void {
    if (isScheduled || running === lanes || waiting.size === 0) return
    isScheduled = true
    // Runs after all requests of this turn are parsed.
    setImmediate(() => {
      isScheduled = false
      while (running < lanes && waiting.size > 0) {
        running++
        void settle(take(), run).finally(() => {
          running--
          schedule()
        })
      }
    })
  }

  function take(): readonly Waiting[] {
    const set = new Map<unknown, Waiting>()
    for (const one of waiting) {
      if (set.size === size) break
      const key = keyOf(one.statement)
      if (!set.has(key)) set.set(key, one)
    }
    for (const one of set.values()) waiting.delete(one)
    return [...set.values()]
  }

  return (statement: Statement) =>
    new Promise<unknown[]>((resolve, reject) => {
      if (waiting.size >= maxWaiting) return reject(new Overloaded())
      waiting.add({ statement, resolve, reject })
      schedule()
    })
}

async function settle(set: readonly Waiting[], run: Sharing['run']): Promise<void> {
  try {
    const results = await run(set.map(({ statement }) => statement))
    for (const [at, { resolve, reject }] of set.entries()) {
      const result = results[at]
      if (Array.isArray(result)) resolve(result)
      else reject(result)
    }
  } catch (error) {
    if (set.length > 1 && wasUndone(error)) await settleAlone(set, run)
    else for (const { reject } of set) reject(error)
  }
}

/** Whether nothing of a set is committed, and one of its statements may be the reason. Only then can they run again. */
function wasUndone(error: unknown): boolean {
  return error instanceof StoreError && (!error.unavailable || isLockConflict(error))
}

/** Runs statements one by one, so that an invalid one fails alone. */
async function settleAlone(set: readonly Waiting[], run: Sharing['run']): Promise<void> {
  for (const one of set) await settle([one], run)
}
