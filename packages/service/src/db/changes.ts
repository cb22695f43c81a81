/** Tells this instance what other instances on the same PostgreSQL change, with LISTEN and NOTIFY. @module */
import { setTimeout as sleep } from 'node:timers/promises'
import type pg from 'pg'
import type { Change, Database } from './database.ts'

/**
 * Returns the database with changes of all instances. Without a connection, listeners periodically get `unknown`.
 *
 * @param connect - Creates a client. `undefined` if a pooler does not keep sessions, so that a LISTEN has no effect.
 */
export function shareChanges(database: Database, connect: (() => pg.Client) | undefined): Database {
  const listeners: ((change: Change) => void)[] = []
  const emit = (change: Change): void => {
    for (const listener of listeners) listener(change)
  }
  const publisher = createPublisher(database)
  database.listen((change) => {
    emit(change)
    publisher.add(change)
  })
  let receiver: { close(): void } | undefined
  return {
    ...database,
    listen: (listener) => {
      listeners.push(listener)
      receiver ??= startReceiver(connect, emit)
    },
    close: async () => {
      receiver?.close()
      await publisher.close()
      await database.close()
    },
  }
}

/** Publishes committed changes, one statement at a time. Changes in the meantime share the next one. */
function createPublisher(database: Database) {
  const pending = new Map<string, number>()
  const closing = new AbortController()
  let publishing: Promise<void> | undefined

  async function publishAll(): Promise<void> {
    while (pending.size > 0) {
      const entries = [...pending].map(([name, version]) => `${name}:${version}`)
      pending.clear()
      try {
        await publish(database, entries)
      } catch {
        if (closing.signal.aborted) break
        pending.set('unknown', 0)
        await sleep(retryDelay, undefined, { signal: closing.signal, ref: false }).catch(() => {})
      }
    }
    // In the same turn as the check, so that the next change starts again.
    publishing = undefined
  }

  return {
    add: (change: Change): void => {
      if (typeof change === 'string') pending.set(change, 0)
      else pending.set(change.intentId, change.version)
      publishing ??= publishAll()
    },
    /** Publishes what is pending, once. */
    close: async (): Promise<void> => {
      closing.abort()
      await publishing
    },
  }
}

/** The commit needs no sync and no standby, because it writes no data. */
async function publish(database: Database, entries: readonly string[]): Promise<void> {
  const payloads: string[] = []
  for (let at = 0; at < entries.length; at += entriesOfPayload) {
    payloads.push(entries.slice(at, at + entriesOfPayload).join(' '))
  }
  await database.query`
    select set_config('synchronous_commit', 'off', true), pg_notify('pi_checkout', payload)
      from unnest(${payloads}::text[]) payload`
}

function startReceiver(connect: (() => pg.Client) | undefined, emit: (change: Change) => void) {
  let isListening = false
  let current: pg.Client | undefined
  const closing = new AbortController()

  async function listenUntilLost(client: pg.Client): Promise<void> {
    const lost = new AbortController()
    client.on('error', () => {})
    client.once('end', () => lost.abort())
    client.on('notification', ({ payload = '' }) => {
      for (const entry of payload.split(' ')) emit(readEntry(entry))
    })
    await client.connect()
    await client.query('listen pi_checkout')
    isListening = true
    // What changed without a connection.
    emit('unknown')
    for (;;) {
      await sleep(heartbeat, undefined, { signal: lost.signal, ref: false })
      await client.query('select')
    }
  }

  async function keepListening(create: () => pg.Client): Promise<void> {
    while (!closing.signal.aborted) {
      current = create()
      await listenUntilLost(current).catch(() => {})
      isListening = false
      void current.end().catch(() => {})
      await sleep(retryDelay, undefined, { signal: closing.signal, ref: false }).catch(() => {})
    }
  }

  const poll = setInterval(() => {
    if (!isListening) emit('unknown')
  }, pollInterval)
  poll.unref()
  if (connect) void keepListening(connect)
  return {
    close: (): void => {
      closing.abort()
      clearInterval(poll)
      void current?.end().catch(() => {})
    },
  }
}

function readEntry(entry: string): Change {
  const [name = '', version] = entry.split(':')
  if (name === 'environments' || name === 'unknown') return name
  return { intentId: name, version: Number(version) }
}

/** A payload has at most 8,000 bytes. */
const entriesOfPayload = 200
/** In milliseconds. */
const heartbeat = 5000
const retryDelay = 300
const pollInterval = 300
