/** Sends requests with the HTTP client of Node.js, which does not follow redirects. @module */
// biome-ignore lint/style/noRestrictedImports: types only
import type { IncomingMessage } from 'node:http'
// biome-ignore lint/style/noRestrictedImports: types only
import type { Socket } from 'node:net'
import { maxResponse, readMessage } from './read-body.ts'
import { NotSent, type Transport } from './transport.ts'

/** Returns whether the runtime is Node.js. Others have its modules too, but their `fetch` is the native client. */
export function isNode(): boolean {
  const { bun, deno, node } = globalThis.process?.versions ?? {}
  // Cloudflare Workers can have the modules of Node.js too.
  const isWorkers = Reflect.get(globalThis, 'navigator')?.userAgent === 'Cloudflare-Workers'
  return node !== undefined && !bun && !deno && !isWorkers && 'getBuiltinModule' in process
}

/** The global agent of Node.js makes and keeps the connections. */
export const nodeTransport: Transport = async (url, { body, ...options }) => {
  const secure = url.startsWith('https:')
  const { request } = process.getBuiltinModule(secure ? 'node:https' : 'node:http')
  const outgoing = notSentIfThrown(() => request(url, options))
  const response = new Promise<Response>((resolve, reject) => {
    outgoing.on('response', (message) => {
      try {
        resolve(responseOf(message))
      } catch (error) {
        // Such as a status of 600.
        reject(error)
      }
    })
    // Without a listener, Node.js closes the connection and emits nothing.
    outgoing.on('upgrade', (_, socket) => {
      socket.destroy()
      reject(new Error('the protocol of the connection was changed'))
    })
    let connected = false
    outgoing.on('socket', (socket) => {
      connected = !isConnecting(socket, secure)
      // A reused connection emits no further event. Listeners would accumulate.
      if (connected) return
      socket.once(secure ? 'secureConnect' : 'connect', () => {
        connected = true
      })
    })
    // Stays after the response began: otherwise a broken connection would end the process.
    outgoing.on('error', (error) => reject(connected ? error : new NotSent(error)))
    outgoing.end(body)
  })
  // The end() of a logger may throw, and leave it open.
  response.catch(() => outgoing.destroy())
  return response
}

/** The agent may not be able to use its certificate or its ciphers. */
function notSentIfThrown<T>(make: () => T): T {
  try {
    return make()
  } catch (cause) {
    throw new NotSent(cause)
  }
}

// An agent may return a socket that is already connected, or another kind of stream. Then bytes may have been sent.
function isConnecting(
  socket: Socket & { readonly secureConnecting?: boolean },
  secure: boolean,
): boolean {
  return secure ? socket.secureConnecting === true : socket.connecting
}

/** Reads the body immediately: a logger that also listens to the response makes it flow. */
function responseOf(message: IncomingMessage): Response {
  const { statusCode: status = 0, headers } = message
  const body = readMessage(message, maxResponse)
  const start = async (controller: ReadableStreamDefaultController): Promise<void> => {
    const bytes = await body
    controller.enqueue(bytes)
    // The reader of a larger body cancels it.
    if (bytes.byteLength <= maxResponse) controller.close()
  }
  const stream = new ReadableStream({ start, cancel: () => void message.destroy() })
  const pairs = Object.entries(headers).map(([name, value = '']) => [name, String(value)])
  const isEmpty = status === 204 || status === 205 || status === 304
  return new Response(isEmpty ? null : stream, { status, headers: Object.fromEntries(pairs) })
}
