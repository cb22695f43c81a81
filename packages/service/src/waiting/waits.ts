/** Requests that wait until an intent changes, at this instance or another one. @module */
import type { Logger } from 'pino'
import { ProblemError } from '../http/problem.ts'
import { dueAt } from '../intents/deadlines.ts'
import { findVersions, type Snapshot, type StoreAndClock } from '../intents/store.ts'
import { logError } from '../log.ts'

export interface Awaited {
  readonly intentId: string
  readonly version: number
  /** Origin of the session, which ends if the origin is removed. */
  readonly origin: string
  /** Milliseconds until the session expires. */
  readonly lifetime: number
  /** Reads the intent. It throws if the session has ended, which ends the wait. */
  readonly read: () => Promise<Snapshot>
  /** Called at least every 25 seconds, so that no proxy ends the connection. */
  readonly onPulse: () => void
  /** Ends the wait, for example when the client disconnects. */
  readonly signal: AbortSignal
}

export type Waits = ReturnType<typeof createWaits>

/** Maximum waits for one intent. A page has one, and a browser six connections. */
export const waitsOfIntent = 20

/** Milliseconds after which one more is rejected, so that its page does not ask again at once. */
export const rejectionDelay = 3000

/** Creates the waits of one instance. They end when the service stops. */
export function createWaits(
  { db, log, now }: StoreAndClock & { readonly log: Logger },
  stopping: AbortSignal,
) {
  const all = new Set<Wait>()
  const byIntent = new Map<string, Set<Wait>>()
  let timer: NodeJS.Timeout | undefined
  /** Whether any intent may have changed since the last comparison began. */
  let isStale = false
  let isFailing = false
  let comparing = Promise.resolve()

  function add(intentId: string, wait: Wait): void {
    all.add(wait)
    const waits = byIntent.get(intentId) ?? new Set()
    byIntent.set(intentId, waits.add(wait))
    timer ??= setInterval(tick, tickInterval).unref()
  }

  function remove(intentId: string, wait: Wait): void {
    all.delete(wait)
    const waits = byIntent.get(intentId)
    waits?.delete(wait)
    if (waits?.size === 0) byIntent.delete(intentId)
    if (all.size > 0) return
    clearInterval(timer)
    timer = undefined
  }

  /** One timer for all, because thousands wait. */
  function tick(): void {
    const at = performance.now()
    const time = now().getTime()
    for (const wait of all) {
      if (at >= wait.until || time >= wait.due) wait.wake()
      if (at < wait.pulseAt) continue
      wait.pulseAt = at + pulseInterval
      wait.awaited.onPulse()
    }
    if (isStale) comparing = comparing.then(compareAll)
  }

  /** Wakes the waits that differ from the store, because it is not known what has changed. */
  async function compareAll(): Promise<void> {
    if (!isStale) return
    isStale = false
    try {
      const found = await findVersions(db, [...byIntent.keys()])
      for (const { awaited, due, wake } of all) {
        const { version = Infinity, origins, due: stored } = found.get(awaited.intentId) ?? {}
        const isActive = origins?.includes(awaited.origin)
        if (!isActive || version >= awaited.version || stored !== due) wake()
      }
      isFailing = false
    } catch (error) {
      // The next tick compares again, because the store may recover before the waits end.
      isStale = true
      const about = { event: 'Cannot check waiting requests', level: 'warn' } as const
      if (!isFailing) logError(log, error, about)
      isFailing = true
    }
  }

  db.listen((change) => {
    if (change === 'environments') {
      isStale = all.size > 0
      comparing = comparing.then(compareAll)
    } else for (const { wake } of byIntent.get(change.intentId) ?? []) wake()
  })
  stopping.addEventListener('abort', () => {
    for (const { wake } of all) wake()
  })

  return {
    /**
     * Waits for the version for at most 8 to 10 minutes.
     *
     * @returns The latest snapshot, even if it is older.
     * @throws {ProblemError} `rate_limited` after a pause, if the intent has too many waits.
     */
    wait: async (awaited: Awaited): Promise<Snapshot> => {
      const { intentId, version, lifetime, read, signal } = awaited
      // Pages that connected together, for example after a restart, do not return together.
      const isOneMore = (byIntent.get(intentId)?.size ?? 0) >= waitsOfIntent
      const longest = isOneMore ? rejectionDelay : longestWait * (1 - Math.random() / 5)
      const begin = performance.now()
      const until = begin + Math.min(lifetime, longest)
      // Their first bytes are spread for the same reason.
      const pulseAt = begin + pulseInterval * (1 - Math.random() / 2)
      const wait: Wait = { awaited, until, due: Infinity, pulseAt, wake: () => {} }
      const isOver = (): boolean =>
        signal.aborted || stopping.aborted || performance.now() >= wait.until
      signal.addEventListener('abort', () => wait.wake())
      add(intentId, wait)
      try {
        if (isOneMore) {
          await new Promise<void>((resolve) => {
            wait.wake = resolve
          })
          throw tooMany()
        }
        for (;;) {
          // Before the read, so that no change is missed.
          const changed = new Promise<void>((resolve) => {
            wait.wake = resolve
          })
          const snapshot = await read()
          if (snapshot.intent.version >= version || isOver()) return snapshot
          const due = dueAt(snapshot.intent)
          wait.due = due ? due.getTime() - snapshot.environment.clockOffset : Infinity
          await changed
          if (isOver()) return snapshot
        }
      } finally {
        remove(intentId, wait)
      }
    },
  }
}

function tooMany(): ProblemError {
  return new ProblemError(
    'rate_limited',
    'Too many requests wait for this Payment Intent. Close other tabs with it, and ask again later.',
    { headers: { 'retry-after': '5' } },
  )
}

interface Wait {
  readonly awaited: Awaited
  /** Next deadline of the intent as it was read, in milliseconds of real time. */
  due: number
  /** Times of `performance.now()` at which the wait ends, and at which it sends a byte. */
  readonly until: number
  pulseAt: number
  wake: () => void
}

/** In milliseconds. */
const tickInterval = 500
const longestWait = 600_000
/** With the next tick, at most 25 seconds. Some proxies time out after 30 seconds without a byte, common ones after 50 or later. */
const pulseInterval = 24_400
