/**
 * Requests that come when a server listens already and cannot answer yet: they wait.
 *
 * A server listens before the rest is made, because the rest is told the port.
 *
 * @module
 */
import type { IncomingMessage, RequestListener, Server, ServerResponse } from 'node:http'

/**
 * Holds every request of a server that is about to listen.
 *
 * @returns The function that gives the server its listener, and that what has waited.
 */
export function holdRequests(server: Server): (listener: RequestListener) => void {
  const held: { readonly request: IncomingMessage; readonly response: ServerResponse }[] = []
  const hold: RequestListener = (request, response) => {
    held.push({ request, response })
  }
  server.on('request', hold)
  return (listener) => {
    server.off('request', hold)
    server.on('request', listener)
    for (const { request, response } of held) {
      if (!request.socket.destroyed) listener(request, response)
    }
  }
}
