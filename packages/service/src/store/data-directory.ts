/** The directory of the embedded store: its database, its secret key, and the lock of its server. @module */
import { chmod, link, mkdir, open, readFile, rm } from 'node:fs/promises'
import { join } from 'node:path'
import Libsql from 'libsql'
import { ExplainedError, SettingError } from '../explained-error.ts'
import { randomBase62 } from '../ids.ts'
import { codeOf } from '../system-error.ts'

/** Names of the files. */
export const databaseFile = 'store.db'
const keyFile = 'secret-key'
const lockFile = 'serving.lock'

/** Creates the directory and its database file. @throws {SettingError} If this user cannot write them, with the fix. */
export async function prepareDirectory(directory: string): Promise<void> {
  try {
    if (!(await exists(join(directory, databaseFile)))) {
      if (await exists(join(directory, keyFile))) throw unusable(directory, lostDatabase)
      await make(directory)
    }
    await (await open(join(directory, databaseFile), 'a', 0o600)).close()
    for (const [name, mode] of [
      ['.', 0o700],
      [databaseFile, 0o600],
      [keyFile, 0o600],
    ] as const) {
      await restrict(join(directory, name), mode)
    }
  } catch (error) {
    const reason = reasons.get(codeOf(error) ?? '')
    throw reason ? unusable(directory, reason) : error
  }
}

/** Returns whether a start has created the directory's store. @throws {SettingError} If a part of it is missing. */
export async function containsStore(directory: string): Promise<boolean> {
  const [database, key] = await Promise.all(
    [databaseFile, keyFile].map(async (name) => await exists(join(directory, name))),
  )
  if (key && !database) throw unusable(directory, lostDatabase)
  return database ?? false
}

/** Returns the directory's secret key, if it has one. */
export async function readKeyFile(directory: string): Promise<string | undefined> {
  try {
    return (await readFile(join(directory, keyFile), 'utf8')).trim()
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return undefined
    throw error
  }
}

/** Stores a secret key, completely or not at all, unless another process has. Returns the stored one. */
export async function createKeyFile(directory: string, key: string): Promise<string> {
  const file = join(directory, keyFile)
  const unfinished = `${file}.${randomBase62(8)}`
  const handle = await open(unfinished, 'wx', 0o600)
  try {
    await handle.writeFile(`${key}\n`)
    await handle.sync()
  } finally {
    await handle.close()
  }
  await link(unfinished, file).catch((error: unknown) => {
    if (codeOf(error) !== 'EEXIST') throw error
  })
  await rm(unfinished)
  // The store is useless without it, so its name must be durable before the first row is.
  const folder = await open(directory, 'r')
  await folder.sync().finally(async () => await folder.close())
  return (await readKeyFile(directory)) ?? key
}

class DirectoryInUse extends ExplainedError {
  override readonly name = 'DirectoryInUse'

  constructor(directory: string) {
    super(
      `The data directory ${directory} is in use by another service. Stop that service, or use another directory with --data.`,
    )
  }
}

/**
 * Lets one service have the directory, because what it keeps in memory would differ from that of another one. Commands
 * can use its store beside it. The system releases the lock when the process ends.
 *
 * @throws {DirectoryInUse}
 */
export async function lockDirectory(directory: string): Promise<() => void> {
  const file = join(directory, lockFile)
  await (await open(file, 'a', 0o600)).close()
  const lock = new Libsql(file)
  try {
    lock.exec('begin exclusive')
  } catch (error) {
    lock.close()
    throw codeOf(error) === 'SQLITE_BUSY' ? new DirectoryInUse(directory) : error
  }
  return () => void lock.close()
}

async function exists(path: string): Promise<boolean> {
  try {
    await (await open(path, 'r')).close()
    return true
  } catch (error) {
    if (['ENOENT', 'ENOTDIR'].includes(codeOf(error) ?? '')) return false
    throw error
  }
}

async function make(folder: string): Promise<void> {
  try {
    await mkdir(folder, { recursive: true, mode: 0o700 })
  } catch (error) {
    if (codeOf(error) !== 'ENOENT') throw error
    // With `recursive`, Node.js reports ENOENT for a read-only disk. Without it, the code is exact.
    await mkdir(folder)
  }
}

/** Makes a path one for its owner only. Another user may own a mounted volume, and then decides. */
async function restrict(path: string, mode: number): Promise<void> {
  await chmod(path, mode).catch((error: unknown) => {
    if (!['ENOENT', 'EPERM'].includes(codeOf(error) ?? '')) throw error
  })
}

function unusable(directory: string, reason: string): SettingError {
  return new SettingError(`The data directory ${directory} cannot be used: ${reason}`)
}

const lostDatabase = `${databaseFile} is missing, but ${keyFile} belongs to an earlier store. Restore the entire directory from a backup, or remove ${keyFile} to create an empty store.`
const another = 'or use another one with --data or PI_DATA_DIR.'

/** Reasons and fixes by code of the system error. */
const reasons: ReadonlyMap<string, string> = new Map([
  ['EACCES', `it is not writable for the user who runs pi-service. Run chown, ${another}`],
  ['EPERM', `it is not writable for the user who runs pi-service. Run chown, ${another}`],
  ['EROFS', `its file system is mounted read-only. Mount it for writing, ${another}`],
  ['ENOSPC', `its disk is full. Free some space, ${another}`],
  ['EDQUOT', `its disk quota is used up. Free some space, ${another}`],
  ['ENOTDIR', `a part of the path is a file. Remove the file, ${another}`],
  ['EEXIST', `it is a file. Remove the file, ${another}`],
])
