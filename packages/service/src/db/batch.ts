/**
 * Combines concurrent requests into one statement, so that they share a commit.
 *
 * There is no timer. A full batch starts immediately, and a smaller one at the end of the event loop turn, if a lane is
 * free. So an idle store adds no delay, and a busy store makes batches larger.
 *
 * @module
 */
import type { Database } from './database.ts'
import { isLockConflict, lockNotAvailable, Overloaded, StoreError } from './errors.ts'

export interface BatchOptions<Item, Result> {
  /** Runs one statement for all items. Returns one result for each, in the same order. */
  readonly run: (items: readonly Item[]) => Promise<readonly (Result | Failed)[]>
  /** Returns whether one item may have caused a failure. Then the items are run one by one. */
  readonly separable: (error: unknown) => boolean
  /** Returns the result of an item if the error is an expected result. */
  readonly resultOf?: (item: Item, error: unknown) => Result | undefined
  readonly kind: Database['kind']
  /** Whether the statement waits for a commit. */
  readonly commits: boolean
}

interface Shape {
  /** Maximum number of concurrent batches. */
  readonly lanes: number
  /** Maximum number of items in a batch. */
  readonly size: number
  /** Whether a batch starts immediately if none is running. */
  readonly immediate: boolean
}

/** The embedded engine blocks this process, so it gets few, large batches. */
const embedded: Shape = { lanes: 1, size: 64, immediate: false }
/** A read takes a server less time than a statement's overhead. */
const reads: Shape = { lanes: 2, size: 64, immediate: false }
/** A server writes and commits in parallel, the first batch while later requests are still being read. */
const writes: Shape = { lanes: 3, size: 24, immediate: true }

function shapeOf({ kind, commits }: Pick<BatchOptions<never, never>, 'kind' | 'commits'>): Shape {
  if (kind === 'pglite') return embedded
  return commits ? writes : reads
}

/** Maximum number of waiting items. Beyond it, `Overloaded` is thrown. */
const maxWaiting = 4096

/** Result of an item that failed alone, without its batch. */
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

export function batch<Item, Result>(
  options: BatchOptions<Item, Result>,
): (item: Item) => Promise<Result> {
  const { lanes, size, immediate } = shapeOf(options)
  const queue: Waiting<Item, Result>[] = []
  let running = 0
  let scheduled = false

  function schedule(): void {
    if (queue.length >= size || (immediate && running === 0)) startBatches()
    if (scheduled || running === lanes || queue.length === 0) return
    scheduled = true
    // Runs after all requests of this event loop turn are parsed.
    setImmediate(() => {
      scheduled = false
      startBatches()
    })
  }

  function startBatches(): void {
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
      if (queue.length >= maxWaiting) return reject(new Overloaded())
      queue.push({ item, resolve, reject })
      schedule()
    })
}

async function work<Item, Result>(
  waiting: readonly Waiting<Item, Result>[],
  options: BatchOptions<Item, Result>,
): Promise<void> {
  try {
    const results = await options.run(waiting.map(({ item }) => item))
    for (const [at, one] of waiting.entries()) {
      const result = results[at]
      if (result instanceof Failed) fail(one, { error: result.error, options })
      // `run` returns a result for each item, so the index exists.
      else one.resolve(result as Result)
    }
  } catch (error) {
    if (waiting.length > 1 && options.separable(error)) await workAlone(waiting, options)
    else for (const one of waiting) fail(one, { error, options })
  }
}

/** Number of lock timeouts after which the whole table is assumed to be locked. */
const maxLocked = 2

/** Runs items one by one, so that an invalid item fails alone. */
async function workAlone<Item, Result>(
  waiting: readonly Waiting<Item, Result>[],
  options: BatchOptions<Item, Result>,
): Promise<void> {
  let locked = 0
  const run: typeof options.run = async (items) =>
    await options.run(items).catch((error: unknown) => {
      if (isLockConflict(error)) locked++
      throw error
    })
  for (const one of waiting) {
    if (locked < maxLocked) await work([one], { ...options, run })
    else one.reject(new StoreError(lockNotAvailable))
  }
}

function fail<Item, Result>(
  { item, resolve, reject }: Waiting<Item, Result>,
  { error, options }: { readonly error: unknown; readonly options: BatchOptions<Item, Result> },
): void {
  const result = options.resultOf?.(item, error)
  if (result === undefined) reject(error)
  else resolve(result)
}
