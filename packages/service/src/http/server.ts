/** Creates, starts, and closes HTTP servers with timeouts and connection limits. @module */
import { once } from 'node:events'
import { createServer, type RequestListener, type Server } from 'node:http'
import type { Config } from '../config.ts'
import { codeOf, SettingError } from '../explained-error.ts'
import { serveConnections } from './connections.ts'

/** Timeouts of a server in milliseconds. They disconnect slow clients. */
export const serverTimeouts = {
  headersTimeout: 5000,
  requestTimeout: 10_000,
  connectionsCheckingInterval: 1000,
  // Clients and proxies usually close idle connections after 60 seconds. If the server closed first, a
  // request in transit would be lost, and clients do not resend a POST automatically.
  keepAliveTimeout: 72_000,
  /** Time after which a client that reads no byte of its response is disconnected. */
  writeTimeout: 60_000,
}
export type ServerTimeouts = Readonly<typeof serverTimeouts>

/** 10,000 buyers who wait, and 2,000 connections of others. */
const maxConnections = 12_000

export type PendingServer = ReturnType<typeof createPendingServer>

/** Creates a server whose requests wait until it is opened. */
export function createPendingServer({ writeTimeout, ...timeouts }: ServerTimeouts) {
  // The service needs no `Host`, except for its pages, which check it.
  const server = createServer({ ...timeouts, requireHostHeader: false })
  // The size of all headers is limited. A limit of their number would drop the rest without an error.
  server.maxHeadersCount = 0
  let open = (_listener: RequestListener): void => {}
  const opened = new Promise<RequestListener>((resolve) => {
    open = resolve
  })
  const listener: RequestListener = async (request, response) => {
    const serve = await opened
    if (!request.socket.destroyed) serve(request, response)
  }
  serveConnections(server, listener, { max: maxConnections, writeTimeout })
  return { server, open }
}

/** Starts a server. @throws {SettingError} If the settings name no usable address. */
export async function listen(
  server: Server,
  { host, port, portName }: Pick<Config, 'host' | 'port' | 'portName'>,
): Promise<void> {
  server.listen({ host, port, backlog: 4096 })
  try {
    await once(server, 'listening')
  } catch (error) {
    switch (codeOf(error)) {
      case 'EADDRINUSE':
        throw new SettingError(
          `Port ${port} on ${host} is already in use. Stop the other program, or set ${portName} (0 selects a free port). The test bank uses the next port.`,
        )
      case 'EACCES':
        throw new SettingError(
          `Port ${port} needs more permissions than this user has. Set ${portName} to a port above 1023.`,
        )
      case 'EADDRNOTAVAIL':
      case 'ENOTFOUND':
        throw new SettingError(
          'PI_HOST: must be an address of this machine. Set it to 127.0.0.1, or to 0.0.0.0 for all.',
        )
    }
    throw error
  }
}

/** Closes a server. Waits for responses to end, then closes all connections. */
export async function close(server: Server): Promise<void> {
  if (!server.listening) return
  const closed = once(server, 'close')
  server.close()
  // Repeat this, because a connection becomes idle when its response ends.
  const sweep = setInterval(() => server.closeIdleConnections(), 50)
  // Close connections whose response does not end, so that the stop does.
  const cut = setTimeout(() => server.closeAllConnections(), closeTimeout)
  await closed
  clearInterval(sweep)
  clearTimeout(cut)
}

/** Time in milliseconds that responses have to end while the server closes. */
const closeTimeout = 6000

export function urlOf(server: Server): string {
  const address = server.address()
  if (address === null || typeof address === 'string')
    throw new Error('The server is not listening')
  const host = address.family === 'IPv6' ? `[${address.address}]` : address.address
  return `http://${host === '0.0.0.0' || host === '[::]' ? '127.0.0.1' : host}:${address.port}`
}
