/**
 * Requests that wait until an intent has changed: one registry per instance, and one statement at a
 * time that reads for all of them.
 *
 * A change that this instance makes wakes them at once. The statement finds what other instances and
 * deadlines change.
 *
 * @module
 */
import type { Logger } from 'pino'
import type { Change, Database } from '../db/database.ts'
import { logError } from '../log.ts'

/** Why a wait ended: the intent may have changed, or there is no more to wait for. */
export type Woken = 'changed' | 'over'

export interface Notifier {
  /**
   * Waits until an intent has reached a version, has a deadline behind it, or is gone.
   *
   * @returns `over` when the time is up, the signal or the service ends the wait, or its holder waits
   * too often: read once more and respond.
   */
  waitFor(intentId: string, version: number, wait: Wait): Promise<Woken>
}

export interface Wait {
  /** Whose it is. One holder has a few waits; a further one ends its oldest. */
  readonly holder: string
  /** When it ends at the latest, by `performance.now()`. */
  readonly until: number
  readonly signal: AbortSignal
}

/** Waits of one holder: a page has one, and for a moment another of the document before it. */
export const waitsOfHolder = 4

/** Makes the registry of one instance, which ends all waits when the service stops. */
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
      const next = await look()
      timer = undefined
      schedule(next)
    }, milliseconds)
    timer.unref()
  }

  /** @returns In how many milliseconds to look again. */
  async function look(): Promise<number> {
    const ids = [...byIntent.names()]
    try {
      const found = await readVersions(db, ids)
      failing = false
      const at = now().getTime()
      let next: number = pause[db.kind]
      for (const id of ids) {
        const { version = Infinity, due } = found.get(id) ?? {}
        const left = due === undefined || due === null ? next : due.getTime() - at
        next = Math.min(next, left)
        byIntent.wake(id, left <= 0 ? Infinity : version)
      }
      // What is due was woken, so a deadline that no reader applies cannot make this a busy loop.
      return Math.max(next, shortestPause)
    } catch (error) {
      // The store may be back before the time is up; each request reads it then.
      if (!failing)
        logError(log, error, { event: 'Waiting requests cannot be read', level: 'warn' })
      failing = true
      return pauseAfterFailure
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
          clearTimeout(late)
          signal.removeEventListener('abort', over)
          byIntent.remove(intentId, wait)
          byHolder.remove(holder, wait)
          resolve(woken)
        }
        const over = (): void => end('over')
        const wait: Waiting = { version, end }
        const late = setTimeout(over, Math.max(0, until - performance.now()))
        signal.addEventListener('abort', over)
        byIntent.add(intentId, wait)
        const own = byHolder.add(holder, wait)
        if (own.size > waitsOfHolder) own.values().next().value?.end('over')
        schedule(pause[db.kind])
      }),
  }
}

/**
 * How long a change of another instance may go unnoticed, in milliseconds. The embedded store has no other
 * instance. LISTEN would wake in 11 ms instead of 30, but it needs an extra connection, does not pass
 * PgBouncer's transaction mode, and adds statements under load.
 */
const pause = { pglite: 300, postgres: 50 } as const
const pauseAfterFailure = 300
/** How often a deadline is tried. */
const shortestPause = 20

interface Waiting {
  readonly version: number
  end(woken: Woken): void
}

/** Waits by a name, the oldest first. */
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

  /** Ends the waits that a version is enough for. */
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
  /** Its next deadline in real time, which a sandbox's clock has moved. */
  readonly due: Date | null
}

/** An intent that is gone is missing; one whose secret is revoked has no version to wait for. */
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
