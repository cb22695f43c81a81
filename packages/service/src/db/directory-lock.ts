/**
 * One process of a machine per data directory. A second one would open it without any error, and rows
 * would vanish.
 *
 * Whoever wants the directory listens on a socket of its own in it, and then knocks at all others there.
 * Of two, the one that knocks later finds the other, so both never hold it; and whom the kernel does not
 * find behind its socket is gone, however it ended. Every container of the machine that shares the volume
 * finds the socket. Another machine does not: to its kernel the living are gone, so a directory that two
 * machines mount is not guarded.
 *
 * @module
 */
import { once } from 'node:events'
import { lstat, mkdir, readdir, rename, rm } from 'node:fs/promises'
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
 * @throws {TypeError} No socket can be made in it; the message names the folder, the reason and the fix.
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
      const first = others.find(
        ({ name, state }) => state === 'holds' || (state === 'wants' && name < own.name),
      )
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

/**
 * Every claim has a name of its own, so that nobody ever removes another's in place of a dead one. It
 * gets it once it listens: before, it would look like one whose process is gone.
 */
async function announce(directory: string): Promise<Claim> {
  const digits = randomBase62(5)
  const name = `lock-${digits}`
  const path = socketPath(directory, name)
  let held = false
  const server = createServer((socket) => {
    socket.on('error', () => {})
    // Destroyed once that is written: whoever knocks and then stops, as by Ctrl-Z, would hold up the end.
    socket.end(JSON.stringify({ pid: process.pid, host: hostname(), held }), () => socket.destroy())
  })
  // The lock alone does not keep the process alive.
  server.unref()
  const unnamed = socketPath(directory, `bind-${digits}`)
  try {
    server.listen(unnamed)
    await once(server, 'listening')
    await rename(unnamed, path)
  } catch (error) {
    server.close()
    throw explain(directory, error)
  }
  return {
    name,
    hold: () => {
      held = true
    },
    withdraw: async () => {
      // Node removes the name that it bound, not the one that it has now.
      await rm(path, { force: true }).catch(() => {})
      server.close()
      await once(server, 'close')
    },
  }
}

/** A folder that takes files may take no sockets, such as one that a desktop shares with its containers. */
function explain(directory: string, error: unknown): unknown {
  const code = ['EACCES', 'EINVAL', 'ENOSYS', 'ENOTSUP', 'EPERM'].find((it) => isCode(error, it))
  if (!code) return error
  return new TypeError(
    `The data directory ${directory} cannot be used: its file system lets no socket be made in it (${code}); ` +
      'choose one on a local disk with --data or PI_DATA_DIR, or a PostgreSQL with --database-url',
  )
}

interface Other {
  readonly name: string
  /** Who `leaves` closed while it was asked: the next knock tells whether it is gone. */
  readonly state: 'holds' | 'wants' | 'leaves'
  readonly owner?: Owner | undefined
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
    if (isCode(error, 'ENOENT')) return undefined
    if (isCode(error, 'ECONNRESET')) return { name, state: 'leaves' }
    // The kernel refuses where nobody listens. Anything else may be a living owner that is not ours.
    if (!isCode(error, 'ECONNREFUSED')) return { name, state: 'holds' }
    // It refuses a file that is no socket too, and that is not ours to remove.
    const claim = await lstat(path).catch(() => undefined)
    if (claim?.isSocket()) await rm(path, { force: true })
    return undefined
  }
  const answer = await hear(socket)
  if (answer === '') return { name, state: 'leaves' }
  const owner = readOwner(answer)
  return { name, state: owner?.held === false ? 'wants' : 'holds', owner }
}

const Owner = z.object({ pid: z.number(), host: z.string(), held: z.boolean() })
type Owner = z.infer<typeof Owner>

/** How long a process may be busy before it is not asked who it is, in milliseconds. */
const patience = 2000

/** What is said: nothing by who stops to listen at this moment, `undefined` by who is busy. */
async function hear(socket: Socket): Promise<string | undefined> {
  let isBusy = false
  socket.setTimeout(patience, () => {
    isBusy = true
    socket.destroy()
  })
  return await text(socket).catch(() => (isBusy ? undefined : ''))
}

function readOwner(answer: string | undefined): Owner | undefined {
  try {
    return Owner.parse(JSON.parse(answer ?? ''))
  } catch {
    return undefined // It helps the message; that somebody listens has decided already.
  }
}

function isCode(error: unknown, code: string): boolean {
  return error instanceof Error && 'code' in error && error.code === code
}
