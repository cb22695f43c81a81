/** Requests that wait until an intent changes, at this instance or another one, and their responses. @module */
import type { ServerResponse } from 'node:http'
import { PassThrough } from 'node:stream'
import type { FastifyReply } from 'fastify'
import { ProblemError } from '../http/problem.ts'
import { json, jsonHeaders } from '../http/send.ts'
import { dueAt } from '../intents/deadlines.ts'
import type { Snapshot, StoreAndClock } from '../intents/store.ts'
import { StoreError } from '../store/errors.ts'

export interface Awaited {
  readonly intentId: string
  readonly version: number
  /** Milliseconds until the session expires. */
  readonly lifetime: number
  /** Reads the intent. It throws if the session has ended, which ends the wait. */
  readonly read: () => Promise<Snapshot>
  /** Called at least every 25 seconds, so that no proxy ends the connection. */
  readonly onPulse: () => void
  /** Its end ends the wait, for example when the client disconnects. */
  readonly response: ServerResponse
}

/** Maximum waits for one intent. A page has one, and a browser six connections. */
const waitsOfIntent = 20

/** Milliseconds after which one more is rejected, so that its page does not ask again at once. */
export const rejectionDelay = 3000

/** Creates the waits of one instance. They end when the service stops. */
export function createWaits({ db, now }: StoreAndClock, stopping: AbortSignal) {
  const byIntent = new Map<string, Set<Wait>>()
  let timer: NodeJS.Timeout | undefined

  function add(intentId: string, wait: Wait): void {
    const waits = byIntent.get(intentId) ?? new Set()
    byIntent.set(intentId, waits.add(wait))
    timer ??= setInterval(tick, tickInterval).unref()
  }

  function remove(intentId: string, wait: Wait): void {
    const waits = byIntent.get(intentId)
    waits?.delete(wait)
    if (waits?.size === 0) byIntent.delete(intentId)
    if (byIntent.size > 0) return
    clearInterval(timer)
    timer = undefined
  }

  function* all(): Generator<Wait> {
    for (const waits of byIntent.values()) yield* waits
  }

  /** One timer for all, because thousands wait. */
  function tick(): void {
    const at = performance.now()
    const time = now().getTime()
    for (const wait of all()) {
      if (at >= wait.until || time >= wait.due) wait.wake()
      if (at < wait.pulseAt) continue
      wait.pulseAt = at + pulseInterval
      wait.onPulse()
    }
  }

  db.listen((change) => {
    // It is not known which intents have changed, so each is read again.
    const changed = change === 'environments' ? all() : (byIntent.get(change.intentId) ?? [])
    for (const { wake } of changed) wake()
  })
  stopping.addEventListener('abort', () => {
    for (const { wake } of all()) wake()
  })

  return {
    /**
     * Waits for the version for at most 8 to 10 minutes, also while the store is away.
     *
     * @returns The latest snapshot, even if it is older.
     * @throws {ProblemError} `rate_limited` after a pause, if the intent has too many waits.
     */
    wait: async ({
      intentId,
      version,
      lifetime,
      read,
      onPulse,
      response,
    }: Awaited): Promise<Snapshot> => {
      // Pages that connected together, for example after a restart, do not return together.
      const isOneMore = (byIntent.get(intentId)?.size ?? 0) >= waitsOfIntent
      const longest = isOneMore ? rejectionDelay : longestWait * (1 - Math.random() / 5)
      const begin = performance.now()
      const until = begin + Math.min(lifetime, longest)
      // Their first bytes are spread for the same reason.
      const pulseAt = begin + pulseInterval * (1 - Math.random() / 2)
      const wait: Wait = { onPulse, until, due: Infinity, pulseAt, wake: () => {} }
      const isOver = (): boolean =>
        response.destroyed || stopping.aborted || performance.now() >= until
      const nextWake = async (): Promise<void> =>
        await new Promise((resolve) => {
          wait.wake = resolve
        })
      response.once('close', () => wait.wake())
      add(intentId, wait)
      try {
        // Before each read, so that no change is missed.
        let woken = nextWake()
        if (isOneMore) {
          await woken
          throw new ProblemError(
            'rate_limited',
            'Too many requests wait for this Payment Intent. Close other tabs with it, and ask again later.',
            { headers: { 'retry-after': '5' } },
          )
        }
        let snapshot = await read()
        for (;;) {
          if (snapshot.intent.version >= version || isOver()) return snapshot
          wait.due = dueTime(snapshot)
          await woken
          if (isOver()) return snapshot
          woken = nextWake()
          try {
            snapshot = await read()
          } catch (error) {
            if (!(error instanceof StoreError && error.unavailable)) throw error
            // Again with the next tick.
            wait.due = 0
            await woken
          }
        }
      } finally {
        remove(intentId, wait)
      }
    },
  }
}

/** Returns the next deadline in milliseconds of real time. */
function dueTime({ intent, environment }: Snapshot): number {
  const due = dueAt(intent)
  return due ? due.getTime() - environment.clockOffset : Infinity
}

interface Wait extends Pick<Awaited, 'onPulse'> {
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

/** Sends the result of a wait. Each pulse sends a space, which JSON ignores, so that no proxy ends the connection. */
export async function longPoll(
  reply: FastifyReply,
  wait: (onPulse: () => void) => Promise<object>,
): Promise<FastifyReply> {
  let pulse = (): void => {}
  const pulsed = new Promise<undefined>((resolve) => {
    pulse = () => resolve(undefined)
  })
  const result = wait(() => pulse())
  const early = await Promise.race([result, pulsed])
  if (early) return json(reply, early)
  const body = new PassThrough()
  pulse = () => void body.write(' ')
  pulse()
  // After an error the client asks again, and gets it then.
  result.then(
    (found) => void body.end(JSON.stringify(found)),
    (error) => void body.destroy(error),
  )
  return reply.headers(jsonHeaders).send(body)
}
