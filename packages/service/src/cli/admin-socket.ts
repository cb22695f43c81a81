/** Runs commands in the service that has a data directory, over a socket that only its owner can open. @module */

import { once } from 'node:events'
import { chmod, rm } from 'node:fs/promises'
import { createServer, type IncomingMessage, request } from 'node:http'
import { text } from 'node:stream/consumers'
import type { Logger } from 'pino'
import { z } from 'zod'
import { socketPath } from '../db/embedded/data-directory.ts'
import { ExplainedError } from '../explained-error.ts'
import { close } from '../http/server.ts'
import { newRequestId } from '../ids.ts'
import { logError } from '../log.ts'
import { AdminCommand, AdminError, type AdminResult } from './admin-commands.ts'

export interface AdminSocketOptions {
  readonly run: (command: AdminCommand) => Promise<AdminResult>
  readonly log: Logger
  /** Time in milliseconds to send a command. @default 5000 */
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
  const timeouts = { headersTimeout: timeLimit, requestTimeout: timeLimit }
  const server = createServer(
    { ...timeouts, connectionsCheckingInterval: timeLimit / 5 },
    async (incoming, response) => void response.end(await runCommand(incoming, { run, log })),
  )
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
  return async () => await close(server, lastCommand)
}

const maxConnections = 100
/** Time in milliseconds for which a stop waits for a running command. */
const lastCommand = 3000

const maxBytes = 64 * 1024

async function commandText(incoming: IncomingMessage): Promise<string> {
  const tooLong = Number(incoming.headers['content-length'] ?? 0) > maxBytes
  if (tooLong) throw new AdminError(`The body must be at most ${maxBytes} bytes.`)
  return await text(incoming)
}

/** Returns `undefined` if no service uses the directory. */
export async function sendAdminCommand(
  directory: string,
  command: AdminCommand,
): Promise<AdminResult | undefined> {
  const path = socketPath(directory, socketName)
  const sent = request({ socketPath: path, method: 'POST', agent: false })
  sent.end(JSON.stringify(command))
  let received: string
  try {
    const [response] = (await once(sent, 'response')) as [IncomingMessage]
    received = await text(response)
  } catch (error) {
    if (error instanceof Error && 'syscall' in error && error.syscall === 'connect')
      return undefined
    throw new AdminError('The service stopped before it responded. Run the command again.')
  }
  const reply = Reply.parse(JSON.parse(received))
  if ('error' in reply) throw new AdminError(reply.error)
  return reply
}

const Reply = z.union([
  z.object({ error: z.string() }),
  z.object({ data: z.record(z.string(), z.unknown()), text: z.string() }),
])

async function runCommand(
  incoming: IncomingMessage,
  { run, log }: Pick<AdminSocketOptions, 'run' | 'log'>,
): Promise<string> {
  let name = 'unknown'
  try {
    const command = AdminCommand.parse(JSON.parse(await commandText(incoming)))
    name = command.command
    return JSON.stringify(await run(command))
  } catch (error) {
    const requestId = newRequestId()
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
