/** Opens the configured store: locks and migrates it, and checks that its secret keys are complete. @module */
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Config } from '../config.ts'
import type { Database, Queryable } from '../db/database.ts'
import { containsStore, prepareDirectory, writeDurably } from '../db/embedded/data-directory.ts'
import { lockDirectory } from '../db/embedded/directory-lock.ts'
import { openPglite } from '../db/embedded/pglite.ts'
import { migrate } from '../db/migrate.ts'
import { openPostgres } from '../db/postgres.ts'
import { SettingError } from '../explained-error.ts'
import { generateHint, newSecretKeys, readSecretKeys, type SecretKeys } from '../secret-keys.ts'
import { codeOf } from '../system-error.ts'
import { keyFault } from './key-fault.ts'
import { startProblem } from './start-problem.ts'

export interface Store {
  readonly db: Database
  readonly keys: SecretKeys
  /** Closes the database, then releases the lock on its directory. */
  close(): Promise<void>
}

type StoreConfig = Pick<Config, 'store' | 'secretKeys'>

/** @throws {SettingError} If the directory or a secret key cannot be used. The message names the fix. */
export async function openStore(config: StoreConfig): Promise<Store> {
  const opened = await openUnchanged(config)
  try {
    await migrate(opened.db)
    await storeKeys(opened)
    return opened
  } catch (error) {
    await opened.close()
    throw error
  }
}

interface UnchangedStore extends Store {
  readonly saveKeys?: (() => Promise<void>) | undefined
}

/** Opens the store before its schema and its keys are stored. */
export async function openUnchanged(config: StoreConfig): Promise<UnchangedStore> {
  const { store } = config
  // Read first, so that invalid keys fail before a store is created.
  const configured = config.secretKeys === undefined ? undefined : readSecretKeys(config.secretKeys)
  if (store.kind === 'memory') {
    const db = await openPglite(undefined)
    return { db, keys: configured ?? readSecretKeys(newSecretKeys()), close: () => db.close() }
  }
  if (store.kind === 'postgres') return await openShared(store.url, configured)
  await prepareDirectory(store.directory)
  const lock = await lockDirectory(store.directory)
  try {
    await containsStore(store.directory)
    const start = configured ? { keys: configured } : await directoryKeys(store.directory)
    const db = await openPglite(join(store.directory, 'database'))
    return {
      ...start,
      db,
      close: async () => {
        await db.close()
        await lock.release()
      },
    }
  } catch (error) {
    await lock.release()
    throw error
  }
}

/** Opens PostgreSQL also without keys, so that the error names both problems. */
async function openShared(url: string, keys: SecretKeys | undefined): Promise<UnchangedStore> {
  const missing = `PI_SECRET_KEYS: environment variable is not set. PostgreSQL stores require it, with the same value at every instance. ${generateHint}`
  const db = await openPostgres(url).catch((error: unknown) => {
    const problem = startProblem(error)
    throw keys || problem === undefined ? error : new SettingError(`${missing}\n${problem}`)
  })
  if (keys) return { db, keys, close: () => db.close() }
  await db.close()
  throw new SettingError(missing)
}

/** Returns the secret keys of a data directory, which are outside the database, or new ones. */
async function directoryKeys(
  directory: string,
): Promise<Pick<UnchangedStore, 'keys' | 'saveKeys'>> {
  const file = join(directory, 'secret-keys')
  try {
    return { keys: readSecretKeys((await readFile(file, 'utf8')).trim()) }
  } catch (error) {
    if (codeOf(error) !== 'ENOENT') throw error
  }
  const created = newSecretKeys()
  return {
    keys: readSecretKeys(created),
    saveKeys: async () => await writeDurably(file, `${created}\n`),
  }
}

/** Stores a check value of each key, and rejects a start if the key of a row is missing or differs. */
async function storeKeys({ db, keys, saveKeys }: UnchangedStore): Promise<void> {
  await db.transaction(async (tx) => {
    // Insert before the check, so that a concurrent start with another key under this id waits here and then
    // finds it. Insert in one order, so that two starts cannot deadlock.
    for (const kid of [...keys.kids].sort()) {
      const value = keys.checkValue(kid)
      if (!value) continue
      await tx.query`
        insert into secret_keys (kid, check_value) values (${kid}, ${value})
        on conflict (kid) do nothing`
    }
    await assertKeys(tx, keys)
    // After the check, so that a rejected start leaves no new keys. Before the commit, so that no row lacks its key.
    await saveKeys?.()
  })
}

/** @throws {SettingError} If the key of a row is missing or differs. */
export async function assertKeys(db: Queryable, keys: SecretKeys): Promise<void> {
  const wrong = await keyFault(db, keys)
  if (wrong) throw new SettingError(`PI_SECRET_KEYS: ${wrong.problem}. ${wrong.fix}`)
}
