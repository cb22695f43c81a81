/**
 * The embedded store's directory, looked at before anything is locked, opened or half made in it.
 *
 * @module
 */
import { mkdir, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'

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
    await mkdir(folder, { recursive: true, mode: 0o700 })
  } catch (error) {
    if (codeOf(error) !== 'ENOENT') throw error
    // What Node says of a read-only disk when it makes parents too; asked for one folder, it is exact.
    await mkdir(folder)
  }
}

function codeOf(error: unknown): string | undefined {
  return error instanceof Error && 'code' in error ? String(error.code) : undefined
}
