/**
 * The command line's way into a running service: a socket in its data directory, for its owner only.
 *
 * One JSON command in, one JSON answer out, then the connection ends.
 *
 * @module
 */
import { once } from 'node:events'
import { chmod, rm } from 'node:fs/promises'
import { connect, createServer, type Socket } from 'node:net'
import { text } from 'node:stream/consumers'
import { z } from 'zod'
import { AdminCommand, AdminError, type AdminResult } from './administration.ts'
import { socketPath } from './data-directory.ts'

/** Listens for commands. Returns the function that stops. */
export async function serveAdminSocket(
  directory: string,
  run: (command: AdminCommand) => Promise<AdminResult>,
): Promise<() => Promise<void>> {
  const path = socketPath(directory, socketName)
  // The directory's lock is ours, so a socket file that is here has no owner.
  await rm(path, { force: true })
  const server = createServer({ allowHalfOpen: true }, (socket) => {
    socket.on('error', () => {})
    void answer(socket, run)
  })
  // No moment with wider rights: the file is made under this mask.
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
    server.close()
    await once(server, 'close')
  }
}

/**
 * Sends a command to the service that holds a directory.
 *
 * @returns `undefined` when no service answers there.
 * @throws {AdminError} The service refused the command.
 */
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
  const reply = Reply.parse(JSON.parse(await text(socket)))
  if ('error' in reply) throw new AdminError(reply.error)
  // Written by our own code at the other end, of the same version.
  return reply.result as AdminResult
}

const Reply = z.union([
  z.object({ error: z.string() }),
  z.object({ result: z.record(z.string(), z.unknown()) }),
])

async function answer(
  socket: Socket,
  run: (command: AdminCommand) => Promise<AdminResult>,
): Promise<void> {
  try {
    const command = AdminCommand.parse(JSON.parse(await readToEnd(socket)))
    socket.end(JSON.stringify({ result: await run(command) }))
  } catch (error) {
    const told = error instanceof AdminError ? error.message : 'The service could not do it'
    socket.end(JSON.stringify({ error: told }))
  }
}

/** Unlike an async iteration, this leaves the socket open for the answer. */
async function readToEnd(socket: Socket): Promise<string> {
  let received = ''
  socket.setEncoding('utf8').on('data', (part) => {
    received += part
  })
  await once(socket, 'end')
  return received
}

const socketName = 'admin.sock'
