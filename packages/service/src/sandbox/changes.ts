/**
 * Tells open inspectors what to read again. No data crosses here, so nothing can leak or arrive late.
 *
 * @module
 */
import type { ServerResponse } from 'node:http'
import { type Topic, topics } from '../../shared/sandbox-api.ts'
import type { Queryable } from '../db/database.ts'
import { jsonHeaders } from '../http/headers.ts'

/** The announcements of one instance. */
export interface Changes {
  announce(...topics: readonly Topic[]): void
  /** Returns the function that ends the subscription. */
  subscribe(listener: (topics: readonly Topic[]) => void): () => void
}

/** Makes the announcements. Without a listener they cost nothing. */
export function changes(): Changes {
  const listeners = new Set<(topics: readonly Topic[]) => void>()
  return {
    announce: (...changed) => {
      for (const listener of listeners) listener(changed)
    },
    subscribe: (listener) => {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
  }
}

/**
 * Returns the handler that streams announcements as server-sent events until the reader goes or the
 * service stops.
 *
 * @see HTML Standard, §9.2 Server-sent events
 */
export function changeStreams({
  db,
  changes,
  stopping,
}: {
  readonly db: Queryable
  readonly changes: Changes
  readonly stopping: AbortSignal
}): (response: ServerResponse) => void {
  // One listener ends all streams: a signal counts each as a possible leak.
  const ends = new Set<() => void>()
  stopping.addEventListener('abort', () => {
    for (const end of ends) end()
  })
  return (response) => {
    if (stopping.aborted) return void response.writeHead(200, eventHeaders).end()
    const end = stream(response, { db, changes, ended: () => ends.delete(end) })
    ends.add(end)
  }
}

const eventHeaders = { ...jsonHeaders, 'content-type': 'text/event-stream; charset=utf-8' }

/** Returns the function that ends the stream. */
function stream(
  response: ServerResponse,
  {
    db,
    changes: { subscribe },
    ended: whenEnded,
  }: { readonly db: Queryable; readonly changes: Changes; readonly ended: () => void },
): () => void {
  response.writeHead(200, eventHeaders)
  const send = (changed: Iterable<Topic>): void => {
    response.write(`event: change\ndata: ${JSON.stringify({ topics: [...changed] })}\n\n`)
  }
  send(topics)

  const pending = new Set<Topic>()
  let timer: NodeJS.Timeout | undefined
  const mark = (changed: readonly Topic[]): void => {
    for (const topic of changed) pending.add(topic)
    // One event for a burst: whoever reads cannot be flooded.
    timer ??= setTimeout(() => {
      timer = undefined
      send(pending)
      pending.clear()
    }, gathering)
  }
  const unsubscribe = subscribe(mark)
  let seen: string | undefined
  let ended = false
  const watch = setInterval(async () => {
    // The bank's page, the command line and other instances change things without a request here.
    const found = await lookAt(db)
    // The reader may have gone meanwhile.
    if (ended) return
    if (found?.underway) mark(['intents'])
    if (seen !== undefined && found && found.setup !== seen) mark(['environments', 'lint'])
    seen = found?.setup ?? seen
    // A comment: it keeps proxies from closing a silent stream.
    response.write(':\n\n')
  }, pause)
  const end = (): void => {
    ended = true
    unsubscribe()
    clearTimeout(timer)
    clearInterval(watch)
    whenEnded()
    response.end()
  }
  response.once('close', end)
  return end
}

const gathering = 200
const pause = 1500

/** What may change unseen: intents on their way, and keys, origins, clocks and merchants by a digest. */
async function lookAt(
  db: Queryable,
): Promise<{ readonly underway: boolean; readonly setup: string } | undefined> {
  try {
    const [found] = await db.query<{ underway: boolean; setup: string }>`
      select exists (select from payment_intents where status in ('requires_action', 'processing'))
               as underway,
             concat_ws(' ',
               (select count(*) from api_keys),
               (select count(*) from api_keys where revoked_at is not null),
               (select concat_ws(' ', count(*), sum(cardinality(allowed_origins)), sum(clock_offset))
                  from environments)) as setup`
    return found
  } catch {
    return undefined // The store is away; the next look may find it.
  }
}
