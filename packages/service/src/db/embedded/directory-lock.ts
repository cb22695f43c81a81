/**
 * Allows one process per data directory. A second process could open it without an error and lose rows.
 *
 * Each process creates a uniquely named Unix socket in the directory and then connects to all others there.
 * If a socket accepts, its owner holds the lock or waits for it. Of two that wait, the lower name wins.
 * If a socket refuses the connection, its owner has exited and the file is removed.
 * The lock covers containers that share a volume on one host. It does not work across hosts.
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
import { ExplainedError, SettingError } from '../../explained-error.ts'
import { randomBase62 } from '../../ids.ts'
import { codeOf } from '../../system-error.ts'
import { socketPath } from './data-directory.ts'

export class DirectoryInUse extends ExplainedError {
  override readonly name = 'DirectoryInUse'

  constructor(directory: string, owner: Owner | undefined) {
    const process = owner ? ` by process ${owner.pid} on ${owner.host}` : ''
    super(
      `The data directory ${directory} is in use${process}. Stop that service, or use another directory with --data.`,
    )
  }
}

/** Locks a directory. @throws {DirectoryInUse} @throws {SettingError} If it cannot contain sockets. */
export async function lockDirectory(directory: string): Promise<{ release(): Promise<void> }> {
  await mkdir(directory, { recursive: true, mode: 0o700 })
  const socket = await createLockSocket(directory)
  try {
    for (;;) {
      const others = await findOthers(directory, socket.name)
      if (others.length === 0) {
        socket.hold()
        return { release: socket.release }
      }
      // Of processes that start at the same time, the one with the lowest name continues.
      const first = others.find(
        ({ name, state }) => state === 'held' || (state === 'waiting' && name < socket.name),
      )
      if (first) throw new DirectoryInUse(directory, first.owner)
      await sleep(10)
    }
  } catch (error) {
    await socket.release()
    throw error
  }
}

/**
 * Creates the lock socket of this process. Its name is unique, so that no process removes it instead of a stale
 * one. It is renamed after it listens, because before it would look like a stale one.
 */
async function createLockSocket(directory: string) {
  const digits = randomBase62(5)
  const name = `lock-${digits}`
  const path = socketPath(directory, name)
  let held = false
  const server = createServer((socket) => {
    socket.on('error', () => {})
    // Destroy the connection after the reply, because a suspended client would delay the exit.
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
    throw socketError(directory, error)
  }
  return {
    name,
    /** Marks the lock as held, in replies to other processes. */
    hold: (): void => {
      held = true
    },
    release: async (): Promise<void> => {
      // Node.js removes the name that it bound, not the current one.
      await rm(path, { force: true }).catch(() => {})
      server.close()
      await once(server, 'close')
    },
  }
}

/** Explains an error of a file system without sockets, such as a folder shared with a container. */
function socketError(directory: string, error: unknown): unknown {
  const code = codeOf(error) ?? ''
  if (!['EACCES', 'EINVAL', 'ENOSYS', 'ENOTSUP', 'EPERM'].includes(code)) return error
  return new SettingError(
    `The data directory ${directory} cannot be used: its file system does not support sockets (${code}). ` +
      'Use one on a local disk with --data or PI_DATA_DIR, or PostgreSQL with --database-url.',
  )
}

interface Other {
  readonly name: string
  /** State of its lock. `closing`: it closed the connection, and the next probe shows whether it has exited. */
  readonly state: 'held' | 'waiting' | 'closing'
  readonly owner?: Owner | undefined
}

/** Connects to the sockets of other processes, and removes those whose process has exited. */
async function findOthers(directory: string, localName: string): Promise<readonly Other[]> {
  const names = (await readdir(directory)).filter(
    (name) => socketName.test(name) && name !== localName,
  )
  const found = await Promise.all(names.map((name) => probeSocket(directory, name)))
  return found.filter((other) => other !== undefined)
}

const socketName = /^lock-[A-Za-z0-9]{5}$/

async function probeSocket(directory: string, name: string): Promise<Other | undefined> {
  const path = socketPath(directory, name)
  const socket = connect(path)
  try {
    await once(socket, 'connect')
  } catch (error) {
    const code = codeOf(error)
    if (code === 'ENOENT') return undefined
    if (code === 'ECONNRESET') return { name, state: 'closing' }
    // The kernel refuses a connection if no process listens. Other errors may come from a running owner.
    if (code !== 'ECONNREFUSED') return { name, state: 'held' }
    // It also refuses connections to other files, which must not be removed.
    const file = await lstat(path).catch(() => undefined)
    if (file?.isSocket()) await rm(path, { force: true })
    return undefined
  }
  const reply = await readReply(socket)
  if (reply === '') return { name, state: 'closing' }
  const owner = readOwner(reply)
  return { name, state: owner?.held === false ? 'waiting' : 'held', owner }
}

const Owner = z.object({ pid: z.number(), host: z.string(), held: z.boolean() })
type Owner = z.infer<typeof Owner>

/** Time in milliseconds to wait for the reply of a busy process. */
const replyTimeout = 2000

/** Returns the reply, an empty text if the process is closing, or `undefined` if it is busy. */
async function readReply(socket: Socket): Promise<string | undefined> {
  let isBusy = false
  socket.setTimeout(replyTimeout, () => {
    isBusy = true
    socket.destroy()
  })
  return await text(socket).catch(() => (isBusy ? undefined : ''))
}

function readOwner(reply: string | undefined): Owner | undefined {
  try {
    return Owner.parse(JSON.parse(reply ?? ''))
  } catch {
    return undefined // The owner is only for the message.
  }
}
