/**
 * Node's HTTP client as a transport. It follows no redirect, because it knows of none.
 *
 * @module
 */
import type { Agent, ClientRequest, IncomingMessage } from 'node:http'
import type { Socket } from 'node:net'
import { NotSent } from './not-sent.ts'
import type { Reply, Transport } from './transport.ts'

/** Whether this is Node. Bun and Deno have Node's modules too, but their own `fetch` is the native way there. */
export function isNode(): boolean {
  const { bun, deno, node } = globalThis.process?.versions ?? {}
  return node !== undefined && !bun && !deno && 'getBuiltinModule' in process
}

/** @param agent - Makes and keeps the connections; Node's global one when there is none. */
export function nodeTransport(agent: Agent | undefined): Transport {
  return (url, { method, headers, body }) => {
    const address = addressOf(url)
    const secure = address.protocol === 'https:'
    const { request } = process.getBuiltinModule(secure ? 'node:https' : 'node:http')
    const length = body === undefined ? {} : { 'content-length': Buffer.byteLength(body) }
    const outgoing = began(() =>
      request({
        ...address,
        method,
        headers: { accept: 'application/json', ...headers, ...length },
        ...(agent && { agent }),
      }),
    )
    const reply = new Promise<Reply>((resolve, reject) => {
      outgoing.on('response', (response) => resolve(replyOf(response)))
      let connected = false
      outgoing.on('socket', (socket) => {
        connected = !isConnecting(socket, secure)
        // A kept connection says nothing any more, and would collect listeners.
        if (connected) return
        socket.once(secure ? 'secureConnect' : 'connect', () => {
          connected = true
        })
      })
      // Also heard after the answer began: a connection that breaks then must not end the process.
      outgoing.on('error', (error) => reject(connected ? error : new NotSent(error)))
    })
    outgoing.end(body)
    return { reply, stop: () => void outgoing.destroy() }
  }
}

/** @throws {TypeError} If the agent is for the other protocol: Node says so at once. */
function began(request: () => ClientRequest): ClientRequest {
  try {
    return request()
  } catch (error) {
    if (!(error instanceof TypeError) || !error.message.startsWith('Protocol ')) throw error
    throw new TypeError(
      `agent: does not fit the base URL (${error.message}). Pass the other Agent.`,
      {
        cause: error,
      },
    )
  }
}

/** An agent may hand over a socket that is already connected, or another kind of stream. Then bytes may have been sent. */
function isConnecting(
  socket: Socket & { readonly secureConnecting?: boolean },
  secure: boolean,
): boolean {
  return secure ? socket.secureConnecting === true : socket.connecting
}

interface Address {
  readonly protocol: string
  readonly hostname: string
  readonly port: string
  readonly path: string
}

// The address of a client hardly ever changes, and taking it apart costs more than sending does.
let last: { readonly origin: string; readonly address: Omit<Address, 'path'> } | undefined

function addressOf(url: string): Address {
  if (!last || !url.startsWith(`${last.origin}/`)) {
    const { origin, protocol, hostname, port } = new URL(url)
    // Brackets belong to the text of an address, not to the address.
    const bare = hostname.startsWith('[') ? hostname.slice(1, -1) : hostname
    last = { origin, address: { protocol, hostname: bare, port } }
  }
  return { ...last.address, path: url.slice(last.origin.length) }
}

function replyOf(response: IncomingMessage): Reply {
  const { statusCode = 0, headers } = response
  return {
    status: statusCode,
    header: (name) => {
      const value = headers[name]
      return Array.isArray(value) ? value.join(', ') : value
    },
    text: (max) => readText(response, max),
  }
}

function readText(response: IncomingMessage, max: number): Promise<string | undefined> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = []
    let size = 0
    response.on('data', (chunk: Buffer) => {
      chunks.push(chunk)
      size += chunk.byteLength
      if (size <= max) return
      resolve(undefined)
      response.destroy()
    })
    response.on('end', () => {
      const [only] = chunks
      const bytes = only && chunks.length === 1 ? only : Buffer.concat(chunks, size)
      resolve(bytes.toString('utf8'))
    })
    response.on('error', reject)
    response.on('close', () => {
      if (!response.complete) reject(new Error('the body broke off'))
    })
  })
}
