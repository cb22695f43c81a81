/** Opens the configured store: locks and migrates it, and checks that its secret keys are complete. @module */
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Config } from '../config.ts'
import type { Database } from '../db/database.ts'
import { prepareDirectory, writeDurably } from '../db/embedded/data-directory.ts'
import { lockDirectory } from '../db/embedded/directory-lock.ts'
import { openPglite } from '../db/embedded/pglite.ts'
import { migrate } from '../db/migrate.ts'
import { openPostgres } from '../db/postgres.ts'
import {
  generateHint,
  keyFault,
  newSecretKeys,
  readSecretKeys,
  type SecretKeys,
} from '../secret-keys.ts'
import { codeOf } from '../system-error.ts'

export interface Store {
  readonly db: Database
  readonly keys: SecretKeys
  /** Closes the database, then releases the lock on its directory. */
  close(): Promise<void>
}

/** @throws {TypeError} If the directory or a secret key cannot be used. The message names the fix. */
export async function openStore(config: Pick<Config, 'store' | 'secretKeys'>): Promise<Store> {
  const { store } = config
  // Read first, so that invalid keys fail before a store is created.
  const configured = config.secretKeys === undefined ? undefined : readSecretKeys(config.secretKeys)
  if (store.kind === 'memory') {
    return await ready(await openPglite(undefined), configured ?? readSecretKeys(newSecretKeys()))
  }
  if (store.kind === 'postgres') {
    if (configured) return await ready(await openPostgres(store.url), configured)
    throw new TypeError(
      `PI_SECRET_KEYS: environment variable is not set. PostgreSQL stores require it, with the same value at every instance. ${generateHint}`,
    )
  }
  await prepareDirectory(store.directory)
  const lock = await lockDirectory(store.directory)
  try {
    const folder = join(store.directory, 'database')
    const keys = configured ?? readSecretKeys(await storedKeys(store.directory))
    const opened = await ready(await openPglite(folder), keys)
    return {
      ...opened,
      close: async () => {
        await opened.close()
        await lock.release()
      },
    }
  } catch (error) {
    await lock.release()
    throw error
  }
}

async function ready(db: Database, keys: SecretKeys): Promise<Store> {
  try {
    await migrate(db)
    await checkKeys(db, keys)
    return { db, keys, close: async () => await db.close() }
  } catch (error) {
    await db.close()
    throw error
  }
}

/** Returns the secret keys of a data directory. Creates them at the first start, outside the database. */
async function storedKeys(directory: string): Promise<string> {
  const file = join(directory, 'secret-keys')
  try {
    return (await readFile(file, 'utf8')).trim()
  } catch (error) {
    if (codeOf(error) !== 'ENOENT') throw error
  }
  const created = newSecretKeys()
  await writeDurably(file, `${created}\n`)
  return created
}

/** Stores a check value of each key, and rejects a start if the key of a row is missing or differs. */
async function checkKeys(db: Database, keys: SecretKeys): Promise<void> {
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
    const wrong = await keyFault(tx, keys)
    if (wrong) throw new TypeError(`PI_SECRET_KEYS: ${wrong.problem}. ${wrong.fix}`)
  })
}
