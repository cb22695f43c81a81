/** Notifies waiting requests when an intent changes, at this instance or another one. @module */
import type { Logger } from 'pino'
import type { Database } from '../db/database.ts'
import { logError } from '../log.ts'

/**
 * Reason why a wait ended: the intent may have changed, environments or their origins have changed, the given time
 * has passed, or the request must end.
 */
export type Woken = 'changed' | 'environments' | 'pause' | 'over'

export type Notifier = ReturnType<typeof createNotifier>

export interface Holder {
  /** Its session. Beyond `waitsOfSession`, a new wait ends the session's oldest one. */
  readonly session: string
  /** Ends the wait, for example when the client disconnects. */
  readonly signal: AbortSignal
}

/** Maximum waits of a session. A page has one, and briefly another from the previous document. */
export const waitsOfSession = 4

/** Creates the notifier of one instance. It ends all waits when the service stops. */
export function createNotifier(
  { db, log, now }: { readonly db: Database; readonly log: Logger; readonly now: () => Date },
  stopping: AbortSignal,
) {
  const byIntent = new Groups()
  const bySession = new Groups()
  let isReading = false
  let readAgain = false
  let isFailing = false

  /** Reads all awaited intents once, because it is not known which ones have changed. */
  async function readAll(): Promise<void> {
    readAgain = true
    if (isReading) return
    isReading = true
    while (readAgain && byIntent.size > 0) {
      readAgain = false
      try {
        const ids = byIntent.names()
        byIntent.compare(ids, await readVersions(db, ids))
        isFailing = false
      } catch (error) {
        // Retry, because the store may recover before the waits end.
        const event = 'Cannot check waiting requests'
        if (!isFailing) logError(log, error, { event, level: 'warn' })
        isFailing = true
        setTimeout(readAll, retryDelay).unref()
      }
    }
    isReading = false
  }

  db.listen((change) => {
    if (change === 'environments') byIntent.wakeAll('environments')
    else if (change === 'unknown') void readAll()
    else byIntent.wake(change.intentId, change.version)
  })
  stopping.addEventListener('abort', () => byIntent.wakeAll('over'))

  return {
    /**
     * Begins to wait until an intent has reached a version, or was deleted. Read the intent after it, so that no change
     * is missed.
     */
    begin: (intentId: string, version: number, { session, signal }: Holder) => {
      const wait = new Wait(version, now)
      const over = (): void => wait.wake('over')
      if (stopping.aborted || signal.aborted) over()
      signal.addEventListener('abort', over)
      byIntent.add(intentId, wait)
      const [oldest, ...others] = bySession.add(session, wait)
      if (oldest && others.length >= waitsOfSession) {
        bySession.remove(session, oldest)
        oldest.wake('over')
      }
      return {
        /**
         * Waits for a change since the last call, or since the wait began.
         *
         * @param until - Time of `performance.now()` at which it returns `pause`.
         * @param due - Next deadline of the intent as it was read, in real time. It counts as a change.
         * @returns `over` if the signal or the service ends the wait, or its session has too many waits.
         */
        next: async (until: number, due: Date | undefined) => await wait.next(until, due),
        end: (): void => {
          signal.removeEventListener('abort', over)
          byIntent.remove(intentId, wait)
          bySession.remove(session, wait)
        },
      }
    },
  }
}

/** In milliseconds. */
const retryDelay = 300
/** Time in milliseconds after a deadline that is not applied yet, so that the wait is no busy loop. */
const minDelay = 20

class Wait {
  readonly version: number
  /** Deadline that the request has read. */
  due: Date | undefined
  readonly #now: () => Date
  #woken: Woken | undefined
  #resolve: (() => void) | undefined
  #timer: NodeJS.Timeout | undefined

  constructor(version: number, now: () => Date) {
    this.version = version
    this.#now = now
  }

  async next(until: number, due: Date | undefined): Promise<Woken> {
    this.due = due
    const left = Math.max(0, until - performance.now())
    const untilDue = due ? Math.max(minDelay, due.getTime() - this.#now().getTime()) : Infinity
    if (!this.#woken) {
      await new Promise<void>((resolve) => {
        this.#resolve = resolve
        const wake = (): void => this.wake(untilDue < left ? 'changed' : 'pause')
        this.#timer = setTimeout(wake, Math.min(left, untilDue))
      })
      clearTimeout(this.#timer)
    }
    const woken = this.#woken ?? 'pause'
    if (woken !== 'over') this.#woken = undefined
    return woken
  }

  wake(woken: Woken): void {
    if (this.#woken !== 'over') this.#woken = woken
    this.#resolve?.()
  }
}

/** Waits by name, oldest first. */
class Groups {
  readonly #waits = new Map<string, Set<Wait>>()

  get size(): number {
    return this.#waits.size
  }

  names(): readonly string[] {
    return [...this.#waits.keys()]
  }

  add(name: string, wait: Wait): ReadonlySet<Wait> {
    const group = this.#waits.get(name) ?? new Set()
    this.#waits.set(name, group.add(wait))
    return group
  }

  remove(name: string, wait: Wait): void {
    const group = this.#waits.get(name)
    group?.delete(wait)
    if (group?.size === 0) this.#waits.delete(name)
  }

  /** Wakes the waits for this version or a lower one. */
  wake(name: string, version: number): void {
    for (const wait of this.#waits.get(name) ?? []) {
      if (wait.version <= version) wait.wake('changed')
    }
  }

  /** Wakes the waits whose intent differs from what they have read, or was deleted. */
  compare(names: readonly string[], found: ReadonlyMap<string, Version>): void {
    for (const name of names) {
      const { version = Infinity, due } = found.get(name) ?? {}
      for (const wait of this.#waits.get(name) ?? []) {
        const isMoved = wait.due?.getTime() !== due?.getTime()
        if (wait.version <= version || isMoved) wait.wake('changed')
      }
    }
  }

  wakeAll(woken: Woken): void {
    for (const group of this.#waits.values()) {
      for (const wait of group) wait.wake(woken)
    }
  }
}

interface Version {
  readonly version: number
  /** Next deadline in real time. */
  readonly due: Date | null
}

/** Reads versions. A revoked secret counts as the highest version, which ends all waits. */
async function readVersions(
  db: Database,
  ids: readonly string[],
): Promise<ReadonlyMap<string, Version>> {
  const rows = await db.query<Version & { readonly id: string }>`
    select i.id, case when i.secret_salt is null then 2147483647 else i.version end as version,
           case when i.finalized_at is null then
             least(case when i.status <> 'processing' then i.expires_at end,
                   i.next_action_expires_at,
                   (i.settlement ->> 'at')::timestamptz)
             - interval '1 ms' * e.clock_offset end as due
      from payment_intents i join environments e on e.id = i.environment_id
     where i.id = any(${ids})`
  return new Map(rows.map((row) => [row.id, row]))
}
