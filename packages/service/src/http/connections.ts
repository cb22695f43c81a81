/**
 * Limits open connections, and the time for which a client may read nothing. At its limit a server closes the
 * connection that has been idle for longest, so that idle connections do not block other clients.
 *
 * @module
 */
import type { Server, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'

export interface ConnectionBounds {
  readonly max: number
  readonly maxPerClient: number
  /** Time in milliseconds after which a client that reads no byte of its response is disconnected. */
  readonly writeTimeout: number
  readonly clientOf: (socket: Socket) => string | undefined
}

/** Connections accepted beyond the limit while idle ones are closing. */
const reserve = 200

/** Limits the connections of a server. Call it before the server listens. */
export function boundConnections(server: Server, bounds: ConnectionBounds): void {
  const { max, maxPerClient, writeTimeout, clientOf } = bounds
  const all = emptyGroup(max)
  const clients = new Map<string, Group>()
  server.maxConnections = max + reserve

  server.on('connection', (socket: TrackedSocket) => {
    const client = clientOf(socket)
    const ofClient =
      client === undefined ? undefined : (clients.get(client) ?? emptyGroup(maxPerClient))
    if (client !== undefined && ofClient) clients.set(client, ofClient)
    const groups = ofClient ? [all, ofClient] : [all]
    const state: Connection = {
      groups,
      pending: 0,
      latest: undefined,
      isClosing: false,
      timedOutAt: 0,
      stalledSince: 0,
    }
    socket[connection] = state
    for (const group of groups) {
      group.open++
      group.idle.add(socket)
    }
    socket.once('close', () => {
      for (const group of groups) {
        group.open--
        group.idle.delete(socket)
      }
      if (client !== undefined && ofClient?.open === 0) clients.delete(client)
    })
    // Check the client's group first: closing its connection may bring the server below its limit.
    for (const group of groups.toReversed()) {
      if (group.open > group.max) closeLongestIdle(group, socket)
    }
  })

  server.on('request', ({ socket }: { readonly socket: TrackedSocket }, response) => {
    const state = socket[connection]
    if (!state) return
    state.pending++
    state.latest = response
    for (const { idle } of state.groups) idle.delete(socket)
    response.on('close', markIdle)
  })

  // Node.js restarts the timer of a socket when bytes are read or a write completes. Progress within one
  // large write shows only when the timer fires, so it fires several times within the timeout.
  const step = writeTimeout / stepsOfTimeout
  server.timeout = step
  server.on('timeout', (socket: TrackedSocket) => {
    const state = socket[connection]
    // Another timeout is the keep-alive timeout of Node.js.
    if (!state || socket.timeout !== step) return void socket.destroy()
    const at = performance.now()
    const waitsForService = state.pending > 0 && socket.writableLength === 0
    const hasProgressed = at - state.timedOutAt > step * 1.5
    if (waitsForService || hasProgressed) state.stalledSince = at - step
    state.timedOutAt = at
    if (at - state.stalledSince < writeTimeout - step / 2) socket.setTimeout(step)
    else socket.destroy()
  })
}

/** Closes a connection with malformed bytes after its responses. Returns `false` if it has none. */
export function closeAfterResponses(socket: TrackedSocket): boolean {
  const state = socket[connection]
  if (!state?.latest) return false
  const { pending, latest } = state
  if (latest.req.complete) state.isClosing = true
  else if (pending === 1 && !latest.headersSent) return false
  else socket.destroy()
  return true
}

const stepsOfTimeout = 10

interface Group {
  readonly max: number
  open: number
  /** Connections without a pending request, longest idle first. */
  readonly idle: Set<Socket>
}

// A property of the socket: a map would need a lookup for each request.
const connection = Symbol('connection')

interface Connection {
  readonly groups: readonly Group[]
  /** Number of requests whose responses have not ended. */
  pending: number
  /** Response to the latest request, until it has ended. */
  latest: ServerResponse | undefined
  /** Whether the connection closes when no response is pending. */
  isClosing: boolean
  /** Times of `performance.now()`: when the timer fired last, and since when the client has read no byte. */
  timedOutAt: number
  stalledSince: number
}

interface TrackedSocket extends Socket {
  [connection]?: Connection
}

function emptyGroup(max: number): Group {
  return { max, open: 0, idle: new Set() }
}

function closeLongestIdle({ idle }: Group, newest: Socket): void {
  // The newest connection is idle. If it is the only idle one, it is closed.
  const [longest = newest] = idle
  longest.destroy()
}

function markIdle(this: ServerResponse): void {
  const socket: TrackedSocket = this.req.socket
  const state = socket[connection]
  if (!state || --state.pending > 0) return
  state.latest = undefined
  if (socket.destroyed) return
  if (state.isClosing) return void socket.end()
  for (const { idle } of state.groups) idle.add(socket)
}
