/**
 * The embedded store's directory: checked before it is locked or opened, and how files are written to it.
 *
 * @module
 */
import { mkdir, open, rename, rm, writeFile } from 'node:fs/promises'
import { dirname, join, relative, resolve } from 'node:path'

/**
 * Creates a data directory if it is missing.
 *
 * @throws {TypeError} If this user cannot write there; the message names the folder, the rule and the fix.
 */
export async function prepareDirectory(directory: string): Promise<void> {
  const database = join(directory, 'database')
  try {
    for (const folder of [directory, database]) {
      await make(folder)
      const probe = join(folder, '.writable')
      await writeFile(probe, '')
      await rm(probe)
    }
  } catch (error) {
    const why = reasons.get(codeOf(error) ?? '')
    if (!why) throw error
    throw new TypeError(`The data directory ${directory} cannot be used: ${why}`)
  }
}

/**
 * Writes a file atomically and durably, for its owner only: after a power cut it is complete or missing.
 */
export async function writeDurably(file: string, text: string): Promise<void> {
  const unfinished = `${file}.new`
  await rm(unfinished, { force: true })
  await writeSynced(unfinished, text)
  await rename(unfinished, file)
  await syncFolder(dirname(file))
}

/** Writes a new file for its owner only, and syncs its content. Sync the folder to keep its name. */
export async function writeSynced(file: string, content: string | Buffer): Promise<void> {
  const handle = await open(file, 'wx', 0o600)
  try {
    await handle.writeFile(content)
    await handle.sync()
  } finally {
    await handle.close()
  }
}

/** Syncs a folder, so that new, renamed and removed files in it are durable. */
export async function syncFolder(folder: string): Promise<void> {
  const handle = await open(folder, 'r')
  try {
    await handle.sync()
  } finally {
    await handle.close()
  }
}

// The kernel takes 107 bytes; a deep directory may still be near.
const maxPath = 107

/** Returns the shortest path of a socket in a data directory. */
export function socketPath(directory: string, name: string): string {
  const path = join(directory, name)
  const shorter = relative(process.cwd(), path)
  const best = Buffer.byteLength(shorter) < Buffer.byteLength(path) ? shorter : path
  if (Buffer.byteLength(best) <= maxPath) return best
  throw new TypeError('--data: the path is too long for a socket in it; give a shorter one')
}

const another = 'or choose another with --data or PI_DATA_DIR'

/** By the system's error code, with the fix. */
const reasons: ReadonlyMap<string, string> = new Map([
  ['EACCES', `it must be writable by the user who runs pi-service; chown it, ${another}`],
  ['EPERM', `it must be writable by the user who runs pi-service; chown it, ${another}`],
  ['EROFS', `its file system is mounted read-only; mount it for writing, ${another}`],
  ['ENOSPC', `its disk is full; free some space, ${another}`],
  ['EDQUOT', `its disk quota is used up; free some space, ${another}`],
  ['ENOTDIR', `a part of the path is a file; remove that, ${another}`],
  ['EEXIST', `it is a file; remove that, ${another}`],
])

async function make(folder: string): Promise<void> {
  try {
    const first = await mkdir(folder, { recursive: true, mode: 0o700 })
    if (first !== undefined) await syncParents(folder, first)
  } catch (error) {
    if (codeOf(error) !== 'ENOENT') throw error
    // What Node says of a read-only disk when it makes parents too; asked for one folder, it is exact.
    await mkdir(folder)
  }
}

/** A new folder is itself an entry of its parent, and so is each that was made on the way to it. */
async function syncParents(folder: string, first: string): Promise<void> {
  const last = dirname(resolve(first))
  let parent = resolve(folder)
  while (parent !== last) {
    parent = dirname(parent)
    await syncFolder(parent)
  }
}

function codeOf(error: unknown): string | undefined {
  return error instanceof Error && 'code' in error ? String(error.code) : undefined
}
