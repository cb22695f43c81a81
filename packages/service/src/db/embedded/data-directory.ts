/** Prepares the data directory of the embedded store, and writes files to it. @module */
import { chmod, mkdir, open, readdir, rename, rm, writeFile } from 'node:fs/promises'
import { dirname, join, relative, resolve } from 'node:path'
import { SettingError } from '../../explained-error.ts'
import { codeOf } from '../../system-error.ts'

/** Creates a data directory. @throws {SettingError} If this user cannot write to it, with the fix. */
export async function prepareDirectory(directory: string): Promise<void> {
  const database = join(directory, 'database')
  try {
    for (const folder of [directory, database]) {
      await make(folder)
      const probe = join(folder, '.writable')
      await writeFile(probe, '')
      await rm(probe)
    }
    await restrict(directory, 0o700)
    await restrict(database, 0o700)
    await restrict(join(directory, 'secret-keys'), 0o600)
  } catch (error) {
    const reason = reasons.get(codeOf(error) ?? '')
    if (!reason) throw error
    throw unusable(directory, reason)
  }
}

/** Makes a path one for its owner only. Another user may own a mounted volume, and then decides. */
async function restrict(path: string, mode: number): Promise<void> {
  await chmod(path, mode).catch((error: unknown) => {
    if (!['ENOENT', 'EPERM'].includes(codeOf(error) ?? '')) throw error
  })
}

/** Returns whether a directory contains a store. @throws {SettingError} If a part of it is missing. */
export async function containsStore(directory: string): Promise<boolean> {
  const database = await namesIn(join(directory, 'database'))
  if (database.includes('PG_VERSION')) return true
  const restore = 'Restore the entire directory from a backup'
  if (database.length > 0) {
    throw unusable(
      directory,
      `database/PG_VERSION is missing next to other files of a store. ${restore}, ${another}`,
    )
  }
  // It is written after the database was created.
  if (!(await namesIn(directory)).includes('secret-keys')) return false
  throw unusable(
    directory,
    `database/ is empty, but secret-keys belongs to an earlier store. ${restore}, or remove secret-keys to create an empty store.`,
  )
}

async function namesIn(folder: string): Promise<readonly string[]> {
  try {
    return await readdir(folder)
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return []
    throw error
  }
}

function unusable(directory: string, reason: string): SettingError {
  return new SettingError(`The data directory ${directory} cannot be used: ${reason}`)
}

/** Writes a file for its owner only. After a power loss it is complete or missing. */
export async function writeDurably(file: string, text: string): Promise<void> {
  const unfinished = `${file}.new`
  await rm(unfinished, { force: true })
  await writeSynced(unfinished, text)
  await rename(unfinished, file)
  await syncFolder(dirname(file))
}

/** Creates a file for its owner only, and syncs its content. Sync the folder to make its name durable. */
export async function writeSynced(file: string, content: string | Buffer): Promise<void> {
  const handle = await open(file, 'wx', 0o600)
  try {
    await handle.writeFile(content)
    await handle.sync()
  } finally {
    await handle.close()
  }
}

/** Syncs a folder, so that new, renamed, and removed files in it are durable. */
export async function syncFolder(folder: string): Promise<void> {
  const handle = await open(folder, 'r')
  try {
    await handle.sync()
  } finally {
    await handle.close()
  }
}

/** Maximum length of a socket path in bytes, set by the kernel. */
const maxPath = 107

/** Returns the path of a socket in a data directory: absolute, or relative if that is shorter. */
export function socketPath(directory: string, name: string): string {
  const path = join(directory, name)
  const shorter = relative(process.cwd(), path)
  const best = Buffer.byteLength(shorter) < Buffer.byteLength(path) ? shorter : path
  if (Buffer.byteLength(best) <= maxPath) return best
  throw new SettingError('--data: the path is too long for a socket in it. Use a shorter path.')
}

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

async function make(folder: string): Promise<void> {
  try {
    const first = await mkdir(folder, { recursive: true, mode: 0o700 })
    if (first !== undefined) await syncParents(folder, first)
  } catch (error) {
    if (codeOf(error) !== 'ENOENT') throw error
    // With `recursive`, Node.js reports ENOENT for a read-only disk. Without it, the code is exact.
    await mkdir(folder)
  }
}

/** Syncs the parents of created folders, which contain their names. */
async function syncParents(folder: string, first: string): Promise<void> {
  const last = dirname(resolve(first))
  let parent = resolve(folder)
  while (parent !== last) {
    parent = dirname(parent)
    await syncFolder(parent)
  }
}
