/** Sends requests with the HTTP client of Node.js, which does not follow redirects. @module */
// biome-ignore lint/style/noRestrictedImports: types only
import type { ClientRequest, IncomingMessage } from 'node:http'
// biome-ignore lint/style/noRestrictedImports: types only
import type { Socket } from 'node:net'
import { readMessage } from './read-body.ts'
import { maxResponse, NotSent, type Transport, type TransportResponse } from './transport.ts'

/** Returns whether the runtime is Node.js. Others have its modules too, but their `fetch` is the native client. */
export function isNode(): boolean {
  const { bun, deno, node } = globalThis.process?.versions ?? {}
  // Cloudflare Workers can have the modules of Node.js too.
  const isWorkers = Reflect.get(globalThis, 'navigator')?.userAgent === 'Cloudflare-Workers'
  return node !== undefined && !bun && !deno && !isWorkers && 'getBuiltinModule' in process
}

/** The global agent of Node.js makes and keeps the connections. */
export const nodeTransport: Transport = (url, { method, headers, body }) => {
  const secure = url.startsWith('https:')
  const { request } = process.getBuiltinModule(secure ? 'node:https' : 'node:http')
  let outgoing: ClientRequest
  try {
    outgoing = request(url, { method, headers: { accept: 'application/json', ...headers } })
  } catch (cause) {
    // The agent cannot use its certificate or its ciphers.
    const error = new NotSent(cause, { transient: false })
    return { response: Promise.reject(error), stop: () => {} }
  }
  const response = new Promise<TransportResponse>((resolve, reject) => {
    outgoing.on('response', (message) => resolve(responseOf(message)))
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
  return { response, stop: () => void outgoing.destroy() }
}

// An agent may return a socket that is already connected, or another kind of stream. Then bytes may have been sent.
function isConnecting(
  socket: Socket & { readonly secureConnecting?: boolean },
  secure: boolean,
): boolean {
  return secure ? socket.secureConnecting === true : socket.connecting
}

// It also removes a byte order mark, as fetch does.
const decoder = new TextDecoder()

/** Reads the body immediately: a logger that also listens to the response makes it flow. */
function responseOf(message: IncomingMessage): TransportResponse {
  const { statusCode = 0, headers } = message
  const body = readMessage(message, maxResponse)
  body.catch(() => {}) // A request that has failed has no reader of its body.
  return {
    status: statusCode,
    header: (name) => {
      const value = headers[name]
      return Array.isArray(value) ? value.join(', ') : value
    },
    text: async () => {
      const bytes = await body
      if (bytes.byteLength <= maxResponse) return decoder.decode(bytes)
      message.destroy()
      return undefined
    },
  }
}
