/**
 * An HTTP server with its bounds: created, listening, and closed within a limited time.
 *
 * @module
 */
import { once } from 'node:events'
import { createServer, type RequestListener, type Server } from 'node:http'
import type { Logger } from 'pino'
import { Call, type Observer, observe } from './call.ts'
import type { ClientAddresses } from './client-address.ts'
import { clientErrorListener, deferContinue, hostOption } from './client-errors.ts'
import { boundConnections } from './connections.ts'
import { hstsOption } from './hsts.ts'
import { ProblemError, sendProblem } from './problem.ts'
import { queueRequests } from './startup-queue.ts'

/** Timeouts of a server, in milliseconds. Slow clients lose their connection while others are served. */
export interface ServerTimeouts {
  readonly headersTimeout: number
  readonly requestTimeout: number
  readonly connectionsCheckingInterval: number
  readonly keepAliveTimeout: number
  /** Without a byte that the client takes of a response. */
  readonly writeTimeout: number
}

export const serverTimeouts: ServerTimeouts = {
  headersTimeout: 10_000,
  requestTimeout: 15_000,
  connectionsCheckingInterval: 1000,
  // Longer than clients and proxies keep an idle connection (60 s is usual): the side that closes first
  // races with the next request, and a POST that loses is not sent again automatically.
  keepAliveTimeout: 72_000,
  writeTimeout: 30_000,
}

const maxConnections = 10_000
/** A company or a mobile network behind one address has fewer. */
const maxConnectionsOfClient = 1000

/** A server that listens, or is about to; its requests wait for `open`. */
export interface PendingServer {
  readonly server: Server
  readonly open: (listener: RequestListener) => void
}

/** Creates a server. Its requests wait until it is opened. */
export function createPendingServer(
  { writeTimeout, ...timeouts }: ServerTimeouts,
  {
    origin,
    log,
    accessLog,
    addresses,
  }: {
    readonly origin: string | undefined
    readonly log: Logger
    readonly accessLog: readonly Observer[]
    readonly addresses: ClientAddresses
  },
): PendingServer {
  const server = createServer({ ...timeouts, ...hostOption, ...hstsOption(origin) })
  server.on('clientError', clientErrorListener(origin ?? ''))
  // For what is neither unset nor `100-continue`.
  server.on('checkExpectation', (request, response) => {
    const call = new Call(request, response)
    observe(call, accessLog)
    const error = new ProblemError('invalid_header', 'Expect must be 100-continue, or left out.')
    sendProblem(call, { error, log })
  })
  boundConnections(server, {
    most: maxConnections,
    mostOfClient: maxConnectionsOfClient,
    writeTimeout,
    clientOf: addresses.ofSocket,
  })
  deferContinue(server)
  return { server, open: queueRequests(server) }
}

/** Starts to listen. @throws {TypeError} If the port is in use, or needs other rights. */
export async function listen(
  server: Server,
  { host, port, name }: { readonly host: string; readonly port: number; readonly name: string },
): Promise<void> {
  server.listen({ host, port })
  try {
    await once(server, 'listening')
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : undefined
    if (code === 'EADDRINUSE') {
      throw new TypeError(
        `Port ${port} on ${host} is already in use. Stop the other program, or set ${name} (0 selects a free port).`,
      )
    }
    if (code === 'EACCES') {
      throw new TypeError(
        `Port ${port} needs more permissions than this user has. Set ${name} to a port above 1023.`,
      )
    }
    throw error
  }
}

/** Closes a server: responses may end, then connections are cut. */
export async function close(server: Server): Promise<void> {
  if (!server.listening) return
  const closed = once(server, 'close')
  server.close()
  // Repeatedly: a connection that responds now is idle a moment later, and would be kept.
  const sweep = setInterval(() => server.closeIdleConnections(), 50)
  // A response that does not end is cut, so that a stop always ends.
  const cut = setTimeout(() => server.closeAllConnections(), longestResponse)
  await closed
  clearInterval(sweep)
  clearTimeout(cut)
}

/** What a client has not received by then is cut off, in milliseconds. */
const longestResponse = 6000

/** Returns the address of a server that listens. */
export function urlOf(server: Server): string {
  const address = server.address()
  if (address === null || typeof address === 'string')
    throw new Error('The server is not listening')
  const host = address.family === 'IPv6' ? `[${address.address}]` : address.address
  return `http://${host === '0.0.0.0' || host === '[::]' ? '127.0.0.1' : host}:${address.port}`
}
