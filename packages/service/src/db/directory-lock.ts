/**
 * One process per data directory. A second one would open it without any error, and rows would vanish.
 *
 * Whoever wants the directory listens on a socket of its own in it, and then knocks at all others there.
 * Of two, the one that knocks later finds the other, so both never hold it; and whoever does not answer
 * is gone, however it ended. A socket in the directory is found from every container that shares the
 * volume; one in the network's namespace is not.
 *
 * @module
 */
import { once } from 'node:events'
import { mkdir, readdir, rm } from 'node:fs/promises'
import { connect, createServer, type Socket } from 'node:net'
import { hostname } from 'node:os'
import { text } from 'node:stream/consumers'
import { setTimeout as sleep } from 'node:timers/promises'
import { z } from 'zod'
import { socketPath } from '../data-directory.ts'
import { randomBase62 } from '../identifiers.ts'

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
  const own = await announce(directory)
  try {
    for (;;) {
      const others = await findOthers(directory, own.name)
      if (others.length === 0) {
        own.hold()
        return { release: own.withdraw }
      }
      // Of those that came at the same moment one goes on: the others see its name and withdraw.
      const first = others.find(({ name, held }) => held || name < own.name)
      if (first) throw new DirectoryInUse(directory, first.owner)
      await sleep(10)
    }
  } catch (error) {
    await own.withdraw()
    throw error
  }
}

interface Claim {
  readonly name: string
  /** Tells from now on that the directory is held. */
  hold(): void
  withdraw(): Promise<void>
}

/** Every claim has a name of its own, so that nobody ever removes another's in place of a dead one. */
async function announce(directory: string): Promise<Claim> {
  const name = `lock-${randomBase62(5)}`
  let held = false
  const server = createServer((socket) => {
    socket.on('error', () => {})
    socket.end(JSON.stringify({ pid: process.pid, host: hostname(), held }))
  })
  server.listen(socketPath(directory, name))
  await once(server, 'listening')
  // The lock alone does not keep the process alive.
  server.unref()
  return {
    name,
    hold: () => {
      held = true
    },
    withdraw: async () => {
      server.close()
      await once(server, 'close')
    },
  }
}

interface Other {
  readonly name: string
  readonly held: boolean
  readonly owner?: Owner
}

/** Knocks at every claim but our own, and clears away those whose process is gone. */
async function findOthers(directory: string, own: string): Promise<readonly Other[]> {
  const names = (await readdir(directory)).filter((name) => claimName.test(name) && name !== own)
  const found = await Promise.all(
    names.map(async (name) => await knock(name, socketPath(directory, name))),
  )
  return found.filter((other) => other !== undefined)
}

const claimName = /^lock-[A-Za-z0-9]{5}$/

async function knock(name: string, path: string): Promise<Other | undefined> {
  const socket = connect(path)
  try {
    await once(socket, 'connect')
  } catch (error) {
    // The kernel refuses where nobody listens. Anything else may be a living owner that is not ours.
    if (!isCode(error, 'ECONNREFUSED') && !isCode(error, 'ENOENT')) return { name, held: true }
    await rm(path, { force: true })
    return undefined
  }
  const owner = await readOwner(socket)
  return { name, held: owner?.held ?? true, ...(owner && { owner }) }
}

const Owner = z.object({ pid: z.number(), host: z.string(), held: z.boolean() })
type Owner = z.infer<typeof Owner>

/** How long a process may be busy before it is not asked who it is, in milliseconds. */
const patience = 2000

async function readOwner(socket: Socket): Promise<Owner | undefined> {
  socket.setTimeout(patience, () => socket.destroy())
  try {
    return Owner.parse(JSON.parse(await text(socket)))
  } catch {
    return undefined // It helps the message; that somebody listens has decided already.
  }
}

function isCode(error: unknown, code: string): boolean {
  return error instanceof Error && 'code' in error && error.code === code
}
