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
 * @throws {DirectoryInUse} If another service has the directory.
 */
export async function openServedStore(config: Pick<Config, 'store' | 'secretKey'>): Promise<Store> {
  const { store } = config
  const configured = configuredKey(config)
  const release = store.kind === 'directory' ? await lockDirectory(store.directory) : () => {}
  try {
    const db = await openDatabase(store)
    try {
      const keys = configured ?? (await directoryKey(db, store))
      await assertKey(db, keys)
      return { db, keys, close: async () => await db.close().finally(release) }
    } catch (error) {
      await db.close()
      throw error
    }
  } catch (error) {
    release()
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

/** Returns the key of the settings. Called first, so that an invalid one fails before a store is created. */
function configuredKey({
  store,
  secretKey,
}: Pick<Config, 'store' | 'secretKey'>): SecretKeys | undefined {
  if (secretKey !== undefined) return readSecretKey(secretKey)
  if (store.kind === 'memory') return readSecretKey(newSecretKey())
  if (store.kind === 'directory') return undefined
  throw new SettingError(
    `PI_SECRET_KEY: environment variable is not set. PostgreSQL stores require it, with the same value at every instance. ${generateHint}`,
  )
}

/** Returns the secret key of a data directory, which is outside the database, or a new one. */
async function directoryKey(db: Database, store: Config['store']): Promise<SecretKeys> {
  const directory = store.kind === 'directory' ? store.directory : ''
  const stored = await readKeyFile(directory)
  if (stored !== undefined) return readSecretKey(stored)
  if ((await storedCheck(db)) !== undefined) throw new SettingError(`PI_SECRET_KEY: ${lostKey}`)
  const created = newSecretKey()
  await createKeyFile(directory, created)
  return readSecretKey(created)
}

/** The first start stores the check value of its key. @throws {SettingError} If the store was created with another key. */
async function assertKey(db: Database, keys: SecretKeys): Promise<void> {
  await db.query(sql`
    insert into secret_key (id, check_value) values (1, ${keys.checkValue}) on conflict (id) do nothing`)
  if ((await storedCheck(db)) === keys.checkValue) return
  throw new SettingError(
    'PI_SECRET_KEY: differs from the key that this store was created with. Restore the original key.',
  )
}

async function storedCheck(db: Database): Promise<string | undefined> {
  const [row] = await db.query<{ checkValue: string }>(sql`
    select check_value as "checkValue" from secret_key`)
  return row?.checkValue
}

const lostKey =
  'the file secret-key of the data directory is missing. Restore it, or set the key that this store was created with.'
