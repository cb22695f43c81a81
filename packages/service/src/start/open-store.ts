/** Opens the configured store, creates its tables, and checks that its secret key is the one of its rows. @module */
import { join } from 'node:path'
import type { Config } from '../config.ts'
import { SettingError } from '../explained-error.ts'
import { generateHint, newSecretKey, readSecretKey, type SecretKeys } from '../secret-keys.ts'
import {
  createKeyFile,
  databaseFile,
  lockDirectory,
  prepareDirectory,
  readKeyFile,
} from '../store/data-directory.ts'
import type { Database } from '../store/database.ts'
import { openPostgres } from '../store/postgres.ts'
import { migrate } from '../store/schema.ts'
import { sql } from '../store/sql.ts'
import { openSqlite } from '../store/sqlite.ts'

export interface Store {
  readonly db: Database
  readonly keys: SecretKeys
  close(): Promise<void>
}

/**
 * Opens the store of a service, which has a data directory alone.
 *
 * @throws {SettingError} If the directory or the secret key cannot be used. The message names the fix.
 */
export async function openServedStore({
  store,
  secretKey,
}: Pick<Config, 'store' | 'secretKey'>): Promise<Store> {
  // First, so that an invalid key fails before a store is created.
  const configured = secretKey === undefined ? undefined : readSecretKey(secretKey)
  if (!configured && store.kind === 'postgres') {
    throw new SettingError(
      `PI_SECRET_KEY: environment variable is not set. PostgreSQL stores require it, with the same value at every instance. ${generateHint}`,
    )
  }
  const release = store.kind === 'directory' ? await lockDirectory(store.directory) : () => {}
  let db: Database | undefined
  const close = async (): Promise<void> => {
    try {
      await db?.close()
    } finally {
      release()
    }
  }
  try {
    db = await openDatabase(store)
    const keys = configured ?? (await ownKey(db, store))
    await assertKey(db, keys)
    return { db, keys, close }
  } catch (error) {
    await close()
    throw error
  }
}

/** Opens a database that has the tables, also beside a service that uses it. */
export async function openDatabase(store: Config['store']): Promise<Database> {
  const db = await connect(store)
  try {
    await migrate(db)
    return db
  } catch (error) {
    await db.close()
    throw error
  }
}

async function connect(store: Config['store']): Promise<Database> {
  if (store.kind === 'memory') return openSqlite()
  if (store.kind === 'postgres') return await openPostgres(store.url)
  await prepareDirectory(store.directory)
  return openSqlite(join(store.directory, databaseFile))
}

/** Returns the secret key of a data directory, which is outside the database, or a new one. */
async function ownKey(db: Database, store: Config['store']): Promise<SecretKeys> {
  if (store.kind !== 'directory') return readSecretKey(newSecretKey())
  const stored = await readKeyFile(store.directory)
  if (stored !== undefined) return readSecretKey(stored)
  if ((await db.query(sql`select 1 from store where key_check is not null`)).length > 0) {
    throw new SettingError(
      'PI_SECRET_KEY: the file secret-key of the data directory is missing. Restore it, or set the key that this store was created with.',
    )
  }
  const created = newSecretKey()
  await createKeyFile(store.directory, created)
  return readSecretKey(created)
}

/** The first start stores the check value of its key. @throws {SettingError} If the store was created with another key. */
async function assertKey(db: Database, keys: SecretKeys): Promise<void> {
  const check = keys.check.toString('hex')
  const [store] = await db.query<{ keyCheck: string }>(sql`
    update store set key_check = coalesce(key_check, ${check}) returning key_check as "keyCheck"`)
  if (store?.keyCheck === check) return
  throw new SettingError(
    'PI_SECRET_KEY: differs from the key that this store was created with. Restore the original key.',
  )
}
