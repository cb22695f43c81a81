/** The embedded store: SQLite in this process, in one file or in memory. @module */
import { EventEmitter } from 'node:events'
import Libsql from 'libsql'
import type { Change, Database } from './database.ts'
import { storeError } from './errors.ts'
import type { Statement } from './sql.ts'
import { together } from './together.ts'

/** Maximum number of writes in a transaction, which blocks the process. */
const maxWrites = 128

/** Milliseconds between looks for changes of another process, such as `pi-service keys revoke`. */
const lookInterval = 500

/** @param file - `undefined` keeps everything in memory. */
export function openSqlite(file?: string): Database {
  const db = open(file)
  const prepared = new Map<string, Libsql.Statement>()
  const changes = new EventEmitter<{ change: [Change] }>()

  /** Never by `run`, after which a statement with `returning` stays open. */
  function all({ name, text, values }: Statement): unknown[] {
    const key = name || text
    try {
      const statement = prepared.get(key) ?? db.prepare(text)
      prepared.set(key, statement)
      if (name === '') return statement.all(values)
      const row = statement.get(values)
      return row === undefined ? [] : [row]
    } catch (error) {
      // Otherwise its next run fails with the same error.
      prepared.delete(key)
      throw storeError(error, name)
    }
  }

  function inTransaction<Result>(work: () => Result): Result {
    try {
      db.exec('begin immediate')
      const result = work()
      db.exec('commit')
      return result
    } catch (error) {
      // A full disk can end it already.
      if (db.inTransaction) db.exec('rollback')
      throw storeError(error)
    }
  }

  /** The writes of one turn share a transaction. SQLite undoes only the statement that fails. */
  const write = together({
    run: async (set) =>
      inTransaction(() =>
        set.map((statement) => {
          try {
            return all(statement)
          } catch (error) {
            if (!db.inTransaction) throw error
            return storeError(error)
          }
        }),
      ),
    size: maxWrites,
    lanes: 1,
  })

  const notify = (change: Change): void => void changes.emit('change', change)
  const looking = file === undefined ? undefined : watch(db, () => notify('environments'))

  return {
    // The caller of `query` names the columns, and the statement lists them.
    query: async <Row>(statement: Statement) =>
      (isRead(statement) ? all(statement) : await write(statement)) as Row[],
    script: async (text) => inTransaction(() => void db.exec(text)),
    probe: async () => inTransaction(() => void db.exec('pragma user_version = 1')),
    notify,
    listen: (listener) => void changes.on('change', listener),
    close: async () => {
      clearInterval(looking)
      try {
        // The file alone is a backup then.
        if (file !== undefined) db.pragma('wal_checkpoint(truncate)')
      } catch {
        // Another process may be reading, or the disk may be full: the log beside the file has what is missing in it.
      }
      db.close()
      // SQLite closes the file with the last statement, which libsql ends when it is collected.
      prepared.clear()
    },
  }
}

function open(file: string | undefined): Libsql.Database {
  try {
    const db = new Libsql(file ?? ':memory:')
    db.exec('pragma busy_timeout = 5000')
    db.exec('pragma journal_mode = wal')
    db.exec('pragma synchronous = full')
    db.exec('pragma foreign_keys = on')
    return db
  } catch (error) {
    throw storeError(error)
  }
}

function isRead({ text }: Statement): boolean {
  return text.trimStart().startsWith('select')
}

/** Calls `onChange` after another process has written. */
function watch(db: Libsql.Database, onChange: () => void): NodeJS.Timeout {
  const statement = db.prepare('pragma data_version')
  const version = (): unknown => Object.values(statement.all()[0] ?? {})[0]
  let last = version()
  const look = (): void => {
    const now = version()
    if (now === last) return
    last = now
    onChange()
  }
  return setInterval(look, lookInterval).unref()
}
