/**
 * Requests that arrive between the start of a listener and the end of the startup. The rest of the service
 * needs to know the port, so it is made after the server listens.
 *
 * @module
 */
import type { IncomingMessage, RequestListener, Server, ServerResponse } from 'node:http'

/**
 * Queues every request of a server that is about to listen.
 *
 * @returns The function that gives the server its listener, and the listener the queued requests.
 */
export function queueRequests(server: Server): (listener: RequestListener) => void {
  const queue: { readonly request: IncomingMessage; readonly response: ServerResponse }[] = []
  const add: RequestListener = (request, response) => {
    queue.push({ request, response })
  }
  server.on('request', add)
  return (listener) => {
    server.off('request', add)
    server.on('request', listener)
    for (const { request, response } of queue) {
      if (!request.socket.destroyed) listener(request, response)
    }
  }
}
