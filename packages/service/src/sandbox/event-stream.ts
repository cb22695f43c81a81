/** Notifies open inspectors of topics to read again. Events contain no data, so they cannot be out of date. @module */
import type { Writable } from 'node:stream'
import { type Topic, topics } from '../../shared/sandbox-api.ts'
import type { Queryable } from '../db/database.ts'
import { type Handler, jsonHeaders } from '../http/response.ts'

/** Notifies open inspectors of one instance. */
export type TopicNotifier = ReturnType<typeof createTopicNotifier>

/** Creates the notifier of one instance. */
export function createTopicNotifier() {
  const listeners = new Set<(topics: readonly Topic[]) => void>()
  return {
    notify: (...changed: readonly Topic[]): void => {
      for (const listener of listeners) listener(changed)
    },
    /** Adds a listener. Returns the function that removes it. */
    subscribe: (listener: (changed: readonly Topic[]) => void): (() => void) => {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
  }
}

/**
 * Returns the handler that streams topics as server-sent events until the client disconnects or the
 * service stops.
 *
 * @see HTML Standard, §9.2 Server-sent events
 */
export function eventStreams({
  db,
  topics: { subscribe },
  stopping,
}: {
  readonly db: Queryable
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
      const end = stream(out, db, subscribe)
      ends.add(end)
      out.once('close', () => {
        end()
        ends.delete(end)
      })
    },
  })
}

const eventHeaders = { ...jsonHeaders, 'content-type': 'text/event-stream; charset=utf-8' }

/** Starts a stream. Returns the function that ends it. */
function stream(out: Writable, db: Queryable, subscribe: TopicNotifier['subscribe']): () => void {
  const send = (changed: Iterable<Topic>): void => {
    out.write(`event: change\ndata: ${JSON.stringify({ topics: [...changed] })}\n\n`)
  }
  send(topics)

  const pending = new Set<Topic>()
  let timer: NodeJS.Timeout | undefined
  const mark = (changed: readonly Topic[]): void => {
    for (const topic of changed) pending.add(topic)
    // Combine changes, so that a burst does not flood the client.
    timer ??= setTimeout(() => {
      timer = undefined
      send(pending)
      pending.clear()
    }, batchDelay)
  }
  const unsubscribe = subscribe(mark)
  let previous: string | undefined
  let wasOpen = false
  let hasEnded = false
  const watch = setInterval(async () => {
    // The test bank, the command line, and other instances make changes without a request here.
    const found = await readChanges(db)
    // The client may have disconnected in the meantime.
    if (hasEnded) return
    // The read after the last open payment has ended shows its result.
    if (found?.isOpen || (found && wasOpen)) mark(['intents'])
    wasOpen = found?.isOpen ?? wasOpen
    if (previous !== undefined && found && found.setup !== previous) mark(['environments', 'lint'])
    previous = found?.setup ?? previous
    // A comment, so that proxies don't close an idle stream.
    out.write(':\n\n')
  }, pollInterval)
  return () => {
    hasEnded = true
    unsubscribe()
    clearTimeout(timer)
    clearInterval(watch)
    out.end()
  }
}

/** In milliseconds. */
const batchDelay = 200
const pollInterval = 1500

/** Reads what may change without a request: open payments, keys, origins, clocks, and merchants. */
async function readChanges(
  db: Queryable,
): Promise<{ readonly isOpen: boolean; readonly setup: string } | undefined> {
  try {
    const [found] = await db.query<{ isOpen: boolean; setup: string }>`
      select exists (select from payment_intents where status in ('requires_action', 'processing'))
               as "isOpen",
             concat_ws(' ',
               (select count(*) from api_keys),
               (select count(*) from api_keys where revoked_at is not null),
               (select concat_ws(' ', count(*), sum(cardinality(allowed_origins)), sum(clock_offset))
                  from environments)) as setup`
    return found
  } catch {
    return undefined // The store is unreachable. The next read may succeed.
  }
}
