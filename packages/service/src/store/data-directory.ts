/** The directory of the embedded store: its database, its secret key, and the lock of its server. @module */
import { existsSync } from 'node:fs'
import { chmod, mkdir, open, readFile, rename, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import Libsql from 'libsql'
import { codeOf, SettingError } from '../explained-error.ts'

/** Names of the files. */
export const databaseFile = 'store.db'
const keyFile = 'secret-key'
const lockFile = 'serving.lock'

/** Creates the directory for its owner only. @throws {SettingError} If this user cannot write it, or it lost its database. */
export async function prepareDirectory(directory: string): Promise<void> {
  const has = (name: string): boolean => existsSync(join(directory, name))
  if (has(keyFile) && !has(databaseFile)) {
    throw new SettingError(
      `The data directory ${directory} has a ${keyFile}, but no ${databaseFile}. Restore the entire directory from a backup, or remove ${keyFile} to create an empty store.`,
    )
  }
  try {
    await mkdir(directory, { recursive: true, mode: 0o700 })
    await chmod(directory, 0o700).catch((error: unknown) => {
      // Another user may own a mounted volume, and then decides.
      if (codeOf(error) !== 'EPERM') throw error
    })
    // SQLite gives its other files the mode of this one.
    await (await open(join(directory, databaseFile), 'a', 0o600)).close()
  } catch (error) {
    throw new SettingError(
      `The data directory ${directory} cannot be used (${codeOf(error)}). Use a directory that the user who runs pi-service can write, with --data or PI_DATA_DIR.`,
    )
  }
}

/** Returns the directory's secret key, if it has one. */
export async function readKeyFile(directory: string): Promise<string | undefined> {
  const file = join(directory, keyFile)
  return existsSync(file) ? (await readFile(file, 'utf8')).trim() : undefined
}

/** Stores a secret key, completely or not at all. */
export async function createKeyFile(directory: string, key: string): Promise<void> {
  const file = join(directory, keyFile)
  await writeFile(`${file}.new`, `${key}\n`, { mode: 0o600, flush: true })
  await rename(`${file}.new`, file)
  // The store is useless without it, so its name must be durable before the first row is.
  const folder = await open(directory, 'r')
  await folder.sync().finally(async () => await folder.close())
}

/**
 * Lets one service have the directory, because what it keeps in memory would differ from that of another one. Commands
 * can use its store beside it. The system releases the lock when the process ends.
 *
 * @throws {SettingError} If another service has it.
 */
export async function lockDirectory(directory: string): Promise<() => void> {
  await prepareDirectory(directory)
  const file = join(directory, lockFile)
  await (await open(file, 'a', 0o600)).close()
  const lock = new Libsql(file)
  try {
    lock.exec('begin exclusive')
  } catch (error) {
    lock.close()
    if (codeOf(error) !== 'SQLITE_BUSY') throw error
    throw new SettingError(
      `The data directory ${directory} is in use by another service. Stop that service, or use another directory with --data.`,
    )
  }
  return () => void lock.close()
}
