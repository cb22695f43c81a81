/**
 * Batches waiting requests into one statement, so that they share one commit.
 *
 * There is no timer: a full batch starts immediately, and any other at the end of the turn in which a lane
 * is free. So an idle store adds no delay, and a busy one makes the next batch larger. An idle server gets
 * the first request immediately.
 *
 * @module
 */
import type { Database } from './database.ts'
import { isLockConflict, lockNotAvailable, Overloaded, StoreError } from './errors.ts'

export interface BatchOptions<Item, Result> {
  /**
   * Does the work of all items in one statement.
   *
   * @returns One result per item, in the same order.
   */
  readonly run: (items: readonly Item[]) => Promise<readonly (Result | Failed)[]>
  /** Whether one item may have caused a failure: the items are then run one by one. */
  readonly separable: (error: unknown) => boolean
  /** Returns the result of an item for a failure, if the failure is one. */
  readonly resultOf?: (item: Item, error: unknown) => Result | undefined
  /** Which store runs it. */
  readonly kind: Database['kind']
}

interface Shape {
  /** Batches that may run at once. */
  readonly lanes: number
  /** Items of one batch at most. */
  readonly size: number
  /** Whether the first item leaves alone where nothing else is on its way. */
  readonly atOnce: boolean
}

/**
 * The engine in this process cannot work while requests are read, so it is called as rarely as possible.
 * A server works in parallel: it gets its first batch while the next one is still being read.
 */
const shapes: Readonly<Record<Database['kind'], Shape>> = {
  pglite: { lanes: 1, size: 64, atOnce: false },
  postgres: { lanes: 3, size: 24, atOnce: true },
}

/** Items that may wait; past it, `Overloaded` is thrown at once. */
const mostWaiting = 4096

/** Instead of a result: this item failed, and the others of its batch did not. */
export class Failed {
  readonly error: unknown

  constructor(error: unknown) {
    this.error = error
  }
}

interface Waiting<Item, Result> {
  readonly item: Item
  readonly resolve: (result: Result) => void
  readonly reject: (error: unknown) => void
}

/** Returns a function that does one item's work, together with its neighbours'. */
export function batch<Item, Result>(
  options: BatchOptions<Item, Result>,
): (item: Item) => Promise<Result> {
  const { lanes, size, atOnce } = shapes[options.kind]
  const queue: Waiting<Item, Result>[] = []
  let running = 0
  let scheduled = false

  function schedule(): void {
    if (queue.length >= size || (atOnce && running === 0)) leave()
    if (scheduled || running === lanes || queue.length === 0) return
    scheduled = true
    // Requests that arrived in this turn of the event loop are all parsed before it.
    setImmediate(() => {
      scheduled = false
      leave()
    })
  }

  function leave(): void {
    while (running < lanes && queue.length > 0) {
      running++
      void work(queue.splice(0, size), options).finally(() => {
        running--
        schedule()
      })
    }
  }

  return (item) =>
    new Promise((resolve, reject) => {
      if (queue.length >= mostWaiting) return reject(new Overloaded())
      queue.push({ item, resolve, reject })
      schedule()
    })
}

type Work<Item, Result> = Pick<BatchOptions<Item, Result>, 'run' | 'separable' | 'resultOf'>

async function work<Item, Result>(
  waiting: readonly Waiting<Item, Result>[],
  options: Work<Item, Result>,
): Promise<void> {
  try {
    const results = await options.run(waiting.map(({ item }) => item))
    for (const [at, one] of waiting.entries()) {
      const result = results[at]
      if (result instanceof Failed) fail(one, { error: result.error, options })
      // `run` returns a result for each item: the index always exists.
      else one.resolve(result as Result)
    }
  } catch (error) {
    if (waiting.length > 1 && options.separable(error)) await workAlone(waiting, options)
    else for (const one of waiting) fail(one, { error, options })
  }
}

/** A second item that waits in vain is not to blame: then the whole table is locked, for all of them. */
const mostLocked = 2

/** One bad item fails the whole statement; alone, it fails alone. */
async function workAlone<Item, Result>(
  waiting: readonly Waiting<Item, Result>[],
  options: Work<Item, Result>,
): Promise<void> {
  let locked = 0
  const run: typeof options.run = async (items) =>
    await options.run(items).catch((error: unknown) => {
      if (isLockConflict(error)) locked++
      throw error
    })
  for (const one of waiting) {
    if (locked < mostLocked) await work([one], { ...options, run })
    else one.reject(new StoreError(lockNotAvailable))
  }
}

function fail<Item, Result>(
  { item, resolve, reject }: Waiting<Item, Result>,
  { error, options }: { readonly error: unknown; readonly options: Work<Item, Result> },
): void {
  const result = options.resultOf?.(item, error)
  if (result === undefined) reject(error)
  else resolve(result)
}
