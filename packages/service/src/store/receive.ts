/** Tells this instance what other instances on the same PostgreSQL change, with LISTEN and NOTIFY. @module */
import { EventEmitter } from 'node:events'
import type pg from 'pg'
import type { Change, Database, Pool } from './database.ts'
import { named } from './sql.ts'

/** Returns the database with the changes of all instances. */
export function shareChanges(pool: Pool, connect: () => pg.Client): Database {
  const changes = new EventEmitter<{ change: [Change] }>()
  const emit = (change: Change): void => void changes.emit('change', change)
  const publisher = createPublisher(pool)
  let stopReceiver: (() => void) | undefined
  return {
    ...pool,
    notify: (change) => {
      emit(change)
      publisher.add(change)
    },
    listen: (listener) => {
      changes.on('change', listener)
      stopReceiver ??= startReceiver(connect, emit)
    },
    close: async () => {
      stopReceiver?.()
      await publisher.close()
      await pool.close()
    },
  }
}

/** Publishes committed changes, one statement at a time. Changes in the meantime share the next one. */
function createPublisher({ query }: Pick<Pool, 'query'>) {
  const pending = new Set<string>()
  let publishing = Promise.resolve()
  let isClosing = false

  async function publishAll(): Promise<void> {
    const names = JSON.stringify([...pending])
    if (pending.size === 0) return
    pending.clear()
    try {
      // The commit needs no sync and no standby, because it writes no data.
      await query(named('publish')`
        select set_config('synchronous_commit', 'off', true), pg_notify('pi_checkout', name)
          from json_array_elements_text(${names}) name`)
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
