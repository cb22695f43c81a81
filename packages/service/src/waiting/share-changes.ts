/** Tells this instance what other instances on the same PostgreSQL change, with LISTEN and NOTIFY. @module */
import type pg from 'pg'
import type { Change, Database } from '../db/database.ts'

/** Returns the database with the changes of all instances. */
export function shareChanges(database: Database, connect: () => pg.Client): Database {
  const listeners: ((change: Change) => void)[] = []
  const publisher = createPublisher(database)
  database.listen(publisher.add)
  let stopReceiver: (() => void) | undefined
  return {
    ...database,
    listen: (listener) => {
      database.listen(listener)
      listeners.push(listener)
      stopReceiver ??= startReceiver(connect, (change) => {
        for (const listen of listeners) listen(change)
      })
    },
    close: async () => {
      stopReceiver?.()
      await publisher.close()
      await database.close()
    },
  }
}

/** Publishes committed changes, one statement at a time. Changes in the meantime share the next one. */
function createPublisher(database: Database) {
  const pending = new Set<string>()
  let publishing = Promise.resolve()
  let isClosing = false

  async function publishAll(): Promise<void> {
    const names = [...pending]
    pending.clear()
    if (names.length === 0) return
    try {
      // The commit needs no sync and no standby, because it writes no data.
      await database.query`
        select set_config('synchronous_commit', 'off', true), pg_notify('pi_checkout', name)
          from unnest(${names}::text[]) name`
    } catch {
      if (!isClosing) setTimeout(add, retryDelay, 'environments').unref()
    }
  }

  function add(change: Change): void {
    pending.add(change === 'environments' ? change : change.intentId)
    publishing = publishing.then(publishAll)
  }

  return {
    add,
    /** Publishes what is pending, once. */
    close: async (): Promise<void> => {
      isClosing = true
      await publishing
    },
  }
}

/** Listens on its own connection. While it has none, anything may have changed. Returns what stops it. */
function startReceiver(connect: () => pg.Client, emit: (change: Change) => void): () => void {
  let client: pg.Client | undefined
  let isListening = false
  let isStopped = false
  const end = (): void => void client?.end().catch(() => {})

  async function listen(): Promise<void> {
    if (isStopped) return
    isListening = false
    client = connect()
    client.on('error', () => {})
    client.once('end', () => setTimeout(() => void listen(), retryDelay).unref())
    client.on('notification', ({ payload = '' }) => {
      emit(payload === 'environments' ? payload : { intentId: payload })
    })
    try {
      await client.connect()
      await client.query('listen pi_checkout')
      isListening = true
      emit('environments')
    } catch {
      end()
    }
  }

  /** The statement does not end on a connection that was lost without a notice. */
  async function check(): Promise<void> {
    isListening = false
    await client?.query('select')
    isListening = true
  }

  const timer = setInterval(() => {
    if (isListening) check().catch(end)
    else emit('environments')
  }, checkInterval).unref()
  void listen()
  return () => {
    isStopped = true
    clearInterval(timer)
    end()
  }
}

/** In milliseconds. */
const retryDelay = 300
const checkInterval = 1000
