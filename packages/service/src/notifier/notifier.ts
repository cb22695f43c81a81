/**
 * Notifies waiting requests when an intent changes.
 *
 * Changes of this instance end their waits immediately. Changes of other instances and passed deadlines are
 * found by a statement that runs periodically for all waiting requests.
 *
 * @module
 */
import type { Logger } from 'pino'
import type { Change, Database } from '../db/database.ts'
import { logError } from '../log.ts'

/** Reason why a wait ended: the intent may have changed, or the wait is over. */
export type Woken = 'changed' | 'over'

export interface Notifier {
  /**
   * Waits until an intent has reached a version, one of its deadlines has passed, or it was deleted.
   *
   * @returns `over` if the time is up, the signal or the service ends the wait, or its session has too many
   * waits. Then read the intent once more and respond.
   */
  waitFor(intentId: string, version: number, wait: Wait): Promise<Woken>
}

export interface Wait {
  /** Session that waits. Beyond `waitsOfHolder`, a new wait ends the session's oldest one. */
  readonly holder: string
  /** Time of `performance.now()` at which the wait ends. */
  readonly until: number
  readonly signal: AbortSignal
}

/** Maximum waits of a session. A page has one, and briefly another from the previous document. */
export const waitsOfHolder = 4

/** Creates the notifier of one instance. It ends all waits when the service stops. */
export function createNotifier(
  { db, log, now }: { readonly db: Database; readonly log: Logger; readonly now: () => Date },
  stopping: AbortSignal,
): Notifier {
  const byIntent = new Groups()
  const byHolder = new Groups()
  let timer: NodeJS.Timeout | undefined
  let failing = false

  function schedule(milliseconds: number): void {
    if (timer || byIntent.size === 0) return
    timer = setTimeout(async () => {
      const next = await poll()
      timer = undefined
      schedule(next)
    }, milliseconds)
    timer.unref()
  }

  /** Reads the versions of all awaited intents. Returns the milliseconds until the next poll. */
  async function poll(): Promise<number> {
    const ids = [...byIntent.names()]
    try {
      const found = await readVersions(db, ids)
      failing = false
      const at = now().getTime()
      let next: number = pollInterval[db.kind]
      for (const id of ids) {
        const { version = Infinity, due } = found.get(id) ?? {}
        const left = due ? due.getTime() - at : Infinity
        next = Math.min(next, left)
        byIntent.wake(id, left <= 0 ? Infinity : version)
      }
      // A passed deadline may not be applied yet. The minimum prevents a busy loop.
      return Math.max(next, minPollInterval)
    } catch (error) {
      // Retry, because the store may recover before the waits end.
      if (!failing) logError(log, error, { event: 'Cannot check waiting requests', level: 'warn' })
      failing = true
      return failureInterval
    }
  }

  db.listen(({ intentId, version }: Change) => byIntent.wake(intentId, version))
  stopping.addEventListener('abort', () => {
    clearTimeout(timer)
    byIntent.endAll()
  })

  return {
    waitFor: (intentId, version, { holder, until, signal }) =>
      new Promise((resolve) => {
        if (stopping.aborted || signal.aborted) return resolve('over')
        const end = (woken: Woken): void => {
          clearTimeout(timeout)
          signal.removeEventListener('abort', over)
          byIntent.remove(intentId, wait)
          byHolder.remove(holder, wait)
          resolve(woken)
        }
        const over = (): void => end('over')
        const wait: Waiting = { version, end }
        const timeout = setTimeout(over, Math.max(0, until - performance.now()))
        signal.addEventListener('abort', over)
        byIntent.add(intentId, wait)
        const waits = byHolder.add(holder, wait)
        if (waits.size > waitsOfHolder) waits.values().next().value?.end('over')
        schedule(pollInterval[db.kind])
      }),
  }
}

/**
 * Milliseconds between polls. The embedded store has no other instances. LISTEN would notify in 11 ms instead
 * of 30, but it needs an extra connection, does not work in PgBouncer's transaction mode, and adds statements
 * under load.
 */
const pollInterval = { pglite: 300, postgres: 50 } as const
const failureInterval = 300
const minPollInterval = 20

interface Waiting {
  readonly version: number
  end(woken: Woken): void
}

/** Waits by name, oldest first. */
class Groups {
  readonly #waits = new Map<string, Set<Waiting>>()

  get size(): number {
    return this.#waits.size
  }

  names(): Iterable<string> {
    return this.#waits.keys()
  }

  add(name: string, wait: Waiting): ReadonlySet<Waiting> {
    const group = this.#waits.get(name) ?? new Set()
    this.#waits.set(name, group.add(wait))
    return group
  }

  remove(name: string, wait: Waiting): void {
    const group = this.#waits.get(name)
    group?.delete(wait)
    if (group?.size === 0) this.#waits.delete(name)
  }

  /** Ends the waits for this version or a lower one. */
  wake(name: string, version: number): void {
    for (const wait of this.#waits.get(name) ?? []) {
      if (wait.version <= version) wait.end('changed')
    }
  }

  endAll(): void {
    for (const group of [...this.#waits.values()]) {
      for (const wait of group) wait.end('over')
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
