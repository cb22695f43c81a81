/**
 * Runs commands in the service that uses a data directory, over a socket in it that only its owner can open.
 *
 * A connection carries one JSON command and one JSON response. A client that does not send or read in time
 * is disconnected.
 *
 * @module
 */
import { once } from 'node:events'
import { chmod, rm } from 'node:fs/promises'
import { connect, createServer, type Socket } from 'node:net'
import { text } from 'node:stream/consumers'
import type { Logger } from 'pino'
import { z } from 'zod'
import { socketPath } from '../db/embedded/data-directory.ts'
import { ExplainedError } from '../explained-error.ts'
import { randomBase62 } from '../ids.ts'
import { logError } from '../log.ts'
import { AdminCommand, AdminError, type AdminResult } from './admin-commands.ts'

export interface AdminSocketOptions {
  readonly run: (command: AdminCommand) => Promise<AdminResult>
  readonly log: Logger
  /** Time in milliseconds to send a command, and again to read its response. @default 5000 */
  readonly timeLimit?: number
}

/** Listens for commands. Returns the function that stops listening, within three seconds. */
export async function serveAdminSocket(
  directory: string,
  { run, log, timeLimit = 5000 }: AdminSocketOptions,
): Promise<() => Promise<void>> {
  const path = socketPath(directory, socketName)
  // This process holds the directory's lock, so an existing socket file has no owner.
  await rm(path, { force: true })
  const open = new Set<Socket>()
  const incomplete = new Set<Socket>()
  let stopping = false
  const server = createServer({ allowHalfOpen: true }, (socket) => {
    if (stopping) return void socket.destroy()
    open.add(socket)
    incomplete.add(socket)
    socket.on('error', () => {})
    socket.once('close', () => {
      open.delete(socket)
      incomplete.delete(socket)
    })
    let timer = setTimeout(() => socket.destroy(), timeLimit)
    socket.once('close', () => clearTimeout(timer))
    socket.setEncoding('utf8')
    let received = ''
    socket.on('data', (part) => {
      received += part
      if (received.length > maxBytes) socket.destroy()
    })
    // An async iteration would close the socket before the response.
    socket.once('end', async () => {
      clearTimeout(timer)
      incomplete.delete(socket)
      const reply = await runCommand(received, { run, log })
      timer = setTimeout(() => socket.destroy(), timeLimit)
      if (socket.destroyed) clearTimeout(timer)
      else socket.end(reply)
    })
  })
  server.maxConnections = maxConnections
  // Under this mask the file never has wider permissions.
  const mask = process.umask(0o177)
  server.listen(path)
  try {
    await once(server, 'listening')
  } finally {
    process.umask(mask)
  }
  await chmod(path, 0o600)
  server.unref()
  return async () => {
    stopping = true
    const closed = once(server, 'close')
    server.close()
    for (const socket of incomplete) socket.destroy()
    const cut = setTimeout(() => {
      for (const socket of open) socket.destroy()
    }, lastCommand)
    await closed
    clearTimeout(cut)
  }
}

const maxConnections = 100
const maxBytes = 64 * 1024
/** Time in milliseconds for which a stop waits for a running command. */
const lastCommand = 3000

/** Returns `undefined` if no service uses the directory. */
export async function sendAdminCommand(
  directory: string,
  command: AdminCommand,
): Promise<AdminResult | undefined> {
  const socket = connect(socketPath(directory, socketName))
  try {
    await once(socket, 'connect')
  } catch {
    return undefined
  }
  socket.end(JSON.stringify(command))
  const received = await text(socket).catch(() => '')
  if (received === '') {
    throw new AdminError('The service stopped before it responded. Run the command again.')
  }
  const reply = Reply.parse(JSON.parse(received))
  if ('error' in reply) throw new AdminError(reply.error)
  // The service at the other end has the same version.
  return reply.result as AdminResult
}

const Reply = z.union([
  z.object({ error: z.string() }),
  z.object({ result: z.record(z.string(), z.unknown()) }),
])

async function runCommand(
  received: string,
  { run, log }: Pick<AdminSocketOptions, 'run' | 'log'>,
): Promise<string> {
  let name = 'unknown'
  try {
    const command = AdminCommand.parse(JSON.parse(received))
    name = command.command
    return JSON.stringify({ result: await run(command) })
  } catch (error) {
    const requestId = `req_${randomBase62(20)}`
    const rejected = error instanceof ExplainedError
    logError(log, error, {
      event: `The command ${name} failed`,
      requestId,
      level: rejected ? 'warn' : 'error',
    })
    const reason = rejected
      ? error.message
      : `The service could not run the command. Its log has the reason under ${requestId}.`
    return JSON.stringify({ error: reason })
  }
}

const socketName = 'admin.sock'
