/**
 * Notifies open inspectors of what to read again. It sends no data, so none can leak or arrive late.
 *
 * @module
 */
import type { Writable } from 'node:stream'
import { type Topic, topics } from '../../shared/sandbox-api.ts'
import type { Queryable } from '../db/database.ts'
import { type Handler, jsonHeaders } from '../http/response.ts'

/** Notifies open inspectors of one instance. */
export type TopicNotifier = ReturnType<typeof createTopicNotifier>

/** Creates the notifier of one instance. Without a listener it costs nothing. */
export function createTopicNotifier() {
  const listeners = new Set<(topics: readonly Topic[]) => void>()
  return {
    notify: (...changed: readonly Topic[]): void => {
      for (const listener of listeners) listener(changed)
    },
    /** Returns the function that ends the subscription. */
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
  // One listener ends all streams: a signal counts each as a possible leak.
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

/** Returns the function that ends the stream. */
function stream(out: Writable, db: Queryable, subscribe: TopicNotifier['subscribe']): () => void {
  const send = (changed: Iterable<Topic>): void => {
    out.write(`event: change\ndata: ${JSON.stringify({ topics: [...changed] })}\n\n`)
  }
  send(topics)

  const pending = new Set<Topic>()
  let timer: NodeJS.Timeout | undefined
  const mark = (changed: readonly Topic[]): void => {
    for (const topic of changed) pending.add(topic)
    // One event for a burst, so that it cannot flood the client.
    timer ??= setTimeout(() => {
      timer = undefined
      send(pending)
      pending.clear()
    }, gathering)
  }
  const unsubscribe = subscribe(mark)
  let previous: string | undefined
  let hasEnded = false
  const watch = setInterval(async () => {
    // The test bank, the command line and other instances change things without a request here.
    const found = await readChanges(db)
    // The client may have disconnected in the meantime.
    if (hasEnded) return
    if (found?.isOpen) mark(['intents'])
    if (previous !== undefined && found && found.setup !== previous) mark(['environments', 'lint'])
    previous = found?.setup ?? previous
    // A comment: it keeps proxies from closing a silent stream.
    out.write(':\n\n')
  }, pause)
  return () => {
    hasEnded = true
    unsubscribe()
    clearTimeout(timer)
    clearInterval(watch)
    out.end()
  }
}

const gathering = 200
const pause = 1500

/** What may change without a request: open payments, and keys, origins, clocks and merchants by a digest. */
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
    return undefined // The store is unreachable; the next read may succeed.
  }
}
