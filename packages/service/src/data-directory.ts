/**
 * The embedded store's directory, looked at before anything is locked, opened or half made in it; and
 * what may be put there beside the database.
 *
 * @module
 */
import { mkdir, open, rename, rm, writeFile } from 'node:fs/promises'
import { dirname, join, relative, resolve } from 'node:path'

/**
 * Makes a data directory where it is missing.
 *
 * @throws {TypeError} This user cannot write there; the message names the folder, the rule and the fix.
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
 * Writes a file that is there whole or not at all, whenever the power goes, and stays once this returns.
 * For its owner only.
 */
export async function writeDurably(file: string, text: string): Promise<void> {
  const unfinished = `${file}.new`
  await rm(unfinished, { force: true })
  await writeSynced(unfinished, text)
  await rename(unfinished, file)
  await syncFolder(dirname(file))
}

/** Writes a new file for its owner only, and its content to the disk; its name is its folder's to keep. */
export async function writeSynced(file: string, content: string | Buffer): Promise<void> {
  const handle = await open(file, 'wx', 0o600)
  try {
    await handle.writeFile(content)
    await handle.sync()
  } finally {
    await handle.close()
  }
}

/** Keeps on the disk what was made, renamed or removed in a folder. */
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

/** Returns the path of a socket in a data directory, in as few bytes as it can be said. */
export function socketPath(directory: string, name: string): string {
  const path = join(directory, name)
  const shorter = relative(process.cwd(), path)
  const best = Buffer.byteLength(shorter) < Buffer.byteLength(path) ? shorter : path
  if (Buffer.byteLength(best) <= maxPath) return best
  throw new TypeError('--data: the path is too long for a socket in it; give a shorter one')
}

const another = 'or choose another with --data or PI_DATA_DIR'

/** By the system's code. It is a directory's owner who may change it, so each says what to change. */
const reasons: ReadonlyMap<string, string> = new Map([
  ['EACCES', `it must be writable by the user who runs pi-service; chown it, ${another}`],
  ['EPERM', `it must be writable by the user who runs pi-service; chown it, ${another}`],
  ['EROFS', `its file system is mounted read-only; mount it for writing, ${another}`],
  ['ENOSPC', `its disk is full; make room, ${another}`],
  ['EDQUOT', `its disk quota is used up; make room, ${another}`],
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
