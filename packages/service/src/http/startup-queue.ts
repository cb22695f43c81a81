/** Queues requests until the service exists, which needs the port of its server. @module */
import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http'

/** Returns a listener that queues requests until `open` sets the one that serves them. */
export function queueRequests(): {
  readonly listener: RequestListener
  readonly open: (listener: RequestListener) => void
} {
  const queue: { readonly request: IncomingMessage; readonly response: ServerResponse }[] = []
  let opened: RequestListener | undefined
  return {
    listener: (request, response) => {
      if (opened) opened(request, response)
      else queue.push({ request, response })
    },
    open: (listener) => {
      opened = listener
      for (const { request, response } of queue.splice(0)) {
        if (!request.socket.destroyed) listener(request, response)
      }
    },
  }
}
