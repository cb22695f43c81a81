/**
 * Serves a connection's requests one at a time and the addresses in turn, and closes connections of slow clients when
 * others need them.
 *
 * @module
 */
import type { RequestListener, Server, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'

export interface ConnectionBounds {
  readonly max: number
  /** Time in milliseconds after which a client that reads no byte of its response is disconnected. */
  readonly writeTimeout: number
}

/** Maximum number of pipelined requests that wait for their turn. With more, the connection closes. */
const maxPipelined = 32

/**
 * Maximum number of requests from one address that begin in a turn of the event loop. The next ones wait, so that clients
 * with other addresses are served in between.
 */
const maxInTurn = 64

/**
 * Microseconds of processor time after which fewer begin in the next turn. Node.js accepts one connection in a turn, so
 * clients whose requests take long would keep out new ones. Waiting for the disk takes none.
 */
const longTurn = 20_000

/** Serves requests within limits. Call it before the server listens. */
export function serveConnections(
  server: Server,
  listener: RequestListener,
  { max, writeTimeout }: ConnectionBounds,
): void {
  /** Open connections. The first one has been without a new request for longest. */
  const sockets = new Set<TrackedSocket>()

  /** Whether a connection was accepted since the last turn without requests. */
  let hasAccepted = false

  server.on('connection', (socket: TrackedSocket) => {
    hasAccepted = true
    socket[connection] = { current: undefined, pipelined: [], isClosing: false }
    sockets.add(socket)
    socket.once('close', () => sockets.delete(socket))
    if (sockets.size > max) closeOne(sockets)
  })

  /** Requests that wait for a turn, by address. */
  const waiting = new Map<string, ServerResponse[]>()
  /** Whether a turn is planned or runs. */
  let isServing = false
  /** Requests of one address that begin in the next turn. */
  let inTurn = maxInTurn

  function begin(response: ServerResponse): void {
    const socket: TrackedSocket = response.req.socket
    const state = socket[connection]
    if (!state || socket.destroyed) return
    state.current = response
    sockets.delete(socket)
    sockets.add(socket)
    response.on('close', next)
    if (!isServing) setImmediate(serveTurn)
    isServing = true
    const address = socket.remoteAddress ?? ''
    const others = waiting.get(address)
    if (others) others.push(response)
    else waiting.set(address, [response])
  }

  function serveTurn(): void {
    const before = process.cpuUsage()
    for (const [address, responses] of waiting) {
      for (const response of responses.splice(0, inTurn)) {
        if (!response.req.socket.destroyed) listener(response.req, response)
      }
      if (responses.length === 0) waiting.delete(address)
    }
    // Runs after all that these requests do in this turn.
    setImmediate(() => {
      const isLong = tookLong(before)
      inTurn = isLong ? Math.ceil(inTurn / 2) : Math.min(2 * inTurn, maxInTurn)
      if (isLong) accept(process.cpuUsage())
      else finishTurn()
    })
  }

  /** Accepts the connections that wait, in turns without requests. */
  function accept(before: NodeJS.CpuUsage): void {
    if (hasAccepted && !tookLong(before)) {
      hasAccepted = false
      setImmediate(accept, before)
    } else finishTurn()
  }

  function finishTurn(): void {
    isServing = waiting.size > 0
    if (isServing) serveTurn()
  }

  function next(this: ServerResponse): void {
    const socket: TrackedSocket = this.req.socket
    const state = socket[connection]
    if (!state) return
    state.current = undefined
    const following = state.pipelined.shift()
    if (following) begin(following)
    else if (state.isClosing) socket.end()
  }

  server.on('request', (request, response) => {
    const socket: TrackedSocket = request.socket
    const state = socket[connection]
    // Node.js parses all that it has read, also after the connection was closed.
    if (!state || socket.destroyed) return
    if (!state.current) return begin(response)
    if (state.pipelined.push(response) > maxPipelined) socket.destroy()
  })

  // Node.js waits once more if a part of the data was sent, so that a slow reader is not disconnected.
  server.timeout = writeTimeout / 2
  server.on('timeout', (socket: TrackedSocket) => {
    const current = socket[connection]?.current
    const waitsForService = current && !current.writableEnded
    if (waitsForService) socket.setTimeout(server.timeout)
    else socket.destroy()
  })
}

function tookLong(before: NodeJS.CpuUsage): boolean {
  const { user, system } = process.cpuUsage(before)
  return user + system > longTurn
}

/** Closes a connection with malformed bytes after its responses. Returns `false` if it has none. */
export function closeAfterResponses(socket: TrackedSocket): boolean {
  const state = socket[connection]
  if (!state?.current) return false
  const { current, pipelined } = state
  const last = pipelined.at(-1) ?? current
  if (last.req.complete) state.isClosing = true
  else if (pipelined.length === 0 && !last.headersSent) return false
  else socket.destroy()
  return true
}

// A property of the socket: a map would need a lookup for each request.
const connection = Symbol('connection')

interface Connection {
  /** Response to the request that is being served, until it has been sent. */
  current: ServerResponse | undefined
  /** Responses to the requests that arrived before that. */
  readonly pipelined: ServerResponse[]
  /** Whether the connection closes when no request is left. */
  isClosing: boolean
}

interface TrackedSocket extends Socket {
  [connection]?: Connection
}

/** Closes the connection that has waited for its client for longest. The newest one is the last candidate. */
function closeOne(sockets: Set<TrackedSocket>): void {
  for (const socket of sockets) {
    if (!waitsForClient(socket)) continue
    sockets.delete(socket)
    socket.destroy()
    return
  }
}

/** Returns whether a connection has no request, an incomplete one, or a response that the client has not read. */
function waitsForClient(socket: TrackedSocket): boolean {
  const current = socket[connection]?.current
  return !current?.req.complete || current.writableEnded
}
