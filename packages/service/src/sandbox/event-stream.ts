/** Notifies open inspectors of topics to read again. Events contain no data, so they cannot be out of date. @module */
import type { Writable } from 'node:stream'
import { type Topic, topics } from '../../shared/sandbox-api.ts'
import type { Database, Queryable } from '../db/database.ts'
import { type Handler, jsonHeaders } from '../http/response.ts'

export type TopicNotifier = ReturnType<typeof createTopicNotifier>

export function createTopicNotifier(db: Database) {
  const listeners = new Set<(topics: readonly Topic[]) => void>()
  const notify = (...changed: readonly Topic[]): void => {
    for (const listener of listeners) listener(changed)
  }
  let isScheduled = false
  let seen: StoreState | undefined

  function scheduleCheck(): void {
    if (isScheduled || listeners.size === 0) return
    isScheduled = true
    setTimeout(check, checkInterval).unref()
  }

  /** Finds what changed without a notification: by a deadline, or while this instance was not notified. */
  async function check(): Promise<void> {
    const found = await readStoreState(db)
    isScheduled = false
    // The check after the last open payment has ended shows its result.
    if (found?.isOpen || seen?.isOpen) notify('intents')
    if (seen && found && found.setup !== seen.setup) notify('environments', 'lint')
    if (found?.isOpen) scheduleCheck()
    seen = found ?? seen
  }

  db.listen((change) => {
    if (change === 'environments') notify('environments', 'intents', 'lint')
    if (typeof change !== 'string') notify('intents')
    scheduleCheck()
  })

  return {
    notify,
    subscribe: (listener: (changed: readonly Topic[]) => void): (() => void) => {
      listeners.add(listener)
      scheduleCheck()
      return () => listeners.delete(listener)
    },
  }
}

interface StoreState {
  /** Whether a payment is in progress, which a deadline may end. */
  readonly isOpen: boolean
  /** Changes with keys, origins, clocks, and merchants. */
  readonly setup: string
}

async function readStoreState(db: Queryable): Promise<StoreState | undefined> {
  try {
    const [found] = await db.query<StoreState>`
      select exists (select from payment_intents where status in ('requires_action', 'processing'))
               as "isOpen",
             concat_ws(' ',
               (select count(*) from api_keys),
               (select count(*) from api_keys where revoked_at is not null),
               (select concat_ws(' ', count(*), sum(cardinality(allowed_origins)), sum(clock_offset))
                  from environments)) as setup`
    return found
  } catch {
    return undefined // The store is unreachable. The next check may succeed.
  }
}

/** Streams topics as server-sent events. @see HTML Standard, §9.2 Server-sent events */
export function eventStreams({
  topics: { subscribe },
  stopping,
}: {
  readonly topics: TopicNotifier
  readonly stopping: AbortSignal
}): Handler {
  // One listener ends all streams, because Node.js warns of a leak if a signal has many listeners.
  const ends = new Set<() => void>()
  stopping.addEventListener('abort', () => {
    for (const end of ends) end()
  })
  return () => ({
    status: 200,
    base: eventHeaders,
    body: (out) => {
      if (stopping.aborted) return void out.end()
      const end = stream(out, subscribe)
      ends.add(end)
      out.once('close', () => {
        end()
        ends.delete(end)
      })
    },
  })
}

const eventHeaders = { ...jsonHeaders, 'content-type': 'text/event-stream; charset=utf-8' }

function stream(out: Writable, subscribe: TopicNotifier['subscribe']): () => void {
  const send = (changed: Iterable<Topic>): void => {
    out.write(`event: change\ndata: ${JSON.stringify({ topics: [...changed] })}\n\n`)
  }
  send(topics)

  const pending = new Set<Topic>()
  let timer: NodeJS.Timeout | undefined
  const unsubscribe = subscribe((changed) => {
    for (const topic of changed) pending.add(topic)
    // Combine changes, so that a burst does not flood the client.
    timer ??= setTimeout(() => {
      timer = undefined
      send(pending)
      pending.clear()
    }, batchDelay)
  })
  // A comment, so that proxies don't close an idle stream.
  const comments = setInterval(() => out.write(':\n\n'), commentInterval)
  return () => {
    unsubscribe()
    clearTimeout(timer)
    clearInterval(comments)
    out.end()
  }
}

/** In milliseconds. */
const batchDelay = 200
const checkInterval = 1500
const commentInterval = 15_000
