/**
 * One process per data directory. A second one would open it without any error, and rows would vanish.
 *
 * On Linux the lock is an abstract socket named by the directory's device and inode: the kernel
 * releases it with the process, so a killed one leaves nothing stale and two starts cannot race.
 * Elsewhere it is a file with the owner's pid.
 *
 * @module
 */
import { once } from 'node:events'
import { mkdir, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { createServer } from 'node:net'
import { hostname } from 'node:os'
import { join } from 'node:path'
import { z } from 'zod'

/** A held lock. */
export interface DirectoryLock {
  release(): Promise<void>
}

/** Another process holds the directory. */
export class DirectoryInUse extends Error {
  override readonly name = 'DirectoryInUse'

  constructor(directory: string, owner: Owner | undefined) {
    const who = owner ? ` by process ${owner.pid} on ${owner.host}` : ''
    super(
      `The data directory ${directory} is in use${who}: stop that service, or give this one another --data`,
    )
  }
}

/**
 * Takes the lock of a directory, making it where it is missing.
 *
 * @throws {DirectoryInUse} A living process holds it.
 */
export async function lockDirectory(directory: string): Promise<DirectoryLock> {
  await mkdir(directory, { recursive: true, mode: 0o700 })
  const ownerFile = join(directory, 'owner.json')
  const lock =
    process.platform === 'linux' ? await lockBySocket(directory) : await lockByFile(ownerFile)
  if (!lock) throw new DirectoryInUse(directory, await readOwner(ownerFile))
  const owner: Owner = { pid: process.pid, host: hostname() }
  await writeFile(ownerFile, JSON.stringify(owner))
  return {
    release: async () => {
      await rm(ownerFile, { force: true })
      await lock.release()
    },
  }
}

async function lockBySocket(directory: string): Promise<DirectoryLock | undefined> {
  const { dev, ino } = await stat(directory)
  const server = createServer((socket) => socket.destroy())
  server.listen({ path: `\0pi-service-${dev}-${ino}`, exclusive: true })
  try {
    await once(server, 'listening')
  } catch (error) {
    if (isCode(error, 'EADDRINUSE')) return undefined
    throw error
  }
  // The lock alone does not keep the process alive.
  server.unref()
  return {
    release: async () => {
      server.close()
      await once(server, 'close')
    },
  }
}

async function lockByFile(ownerFile: string): Promise<DirectoryLock | undefined> {
  const pidFile = `${ownerFile}.lock`
  const lock = { release: async () => await rm(pidFile, { force: true }) }
  for (let tries = 0; tries < 2; tries++) {
    try {
      await writeFile(pidFile, String(process.pid), { flag: 'wx' })
      return lock
    } catch (error) {
      if (!isCode(error, 'EEXIST')) throw error
    }
    if (isAlive(Number(await readFile(pidFile, 'utf8').catch(() => '0')))) return undefined
    await rm(pidFile, { force: true })
  }
  return undefined
}

const Owner = z.object({ pid: z.number(), host: z.string() })
type Owner = z.infer<typeof Owner>

async function readOwner(file: string): Promise<Owner | undefined> {
  try {
    return Owner.parse(JSON.parse(await readFile(file, 'utf8')))
  } catch {
    return undefined // It helps the message and decides nothing.
  }
}

function isAlive(pid: number): boolean {
  if (pid <= 0) return false
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return isCode(error, 'EPERM')
  }
}

function isCode(error: unknown, code: string): boolean {
  return error instanceof Error && 'code' in error && error.code === code
}
