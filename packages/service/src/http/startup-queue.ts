/** Queues requests until the service exists, which needs the port of its server. @module */
import type { IncomingMessage, RequestListener, Server, ServerResponse } from 'node:http'

/** Call it before the server listens. The returned function sets the listener. */
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
