/**
 * How many connections a listener keeps, and for how long a client may take no byte of a response.
 *
 * A full listener closes the connection that has been idle longest, so that neither silent connections
 * nor those that wait for their next request can keep other clients out.
 *
 * @module
 */
import type { Server, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'

/** The bounds of one listener. */
export interface ConnectionBounds {
  /** Most open connections. */
  readonly most: number
  /** Most open connections of one client whose address is known. */
  readonly mostOfClient: number
  /** Milliseconds for which a client may take no byte of a response that waits for it. */
  readonly writeTimeout: number
  /** @returns `undefined` if the client's address is unknown: one address may stand for many clients. */
  readonly clientOf: (socket: Socket) => string | undefined
}

/** What stays free for new connections while the idle ones close. */
const reserve = 200

/** Bounds the connections of a server that is about to listen. */
export function boundConnections(server: Server, bounds: ConnectionBounds): void {
  const { most, mostOfClient, writeTimeout, clientOf } = bounds
  const all = emptyGroup(most)
  const clients = new Map<string, Group>()
  server.maxConnections = most + reserve

  server.on('connection', (socket: Known) => {
    const client = clientOf(socket)
    const own = client === undefined ? undefined : (clients.get(client) ?? emptyGroup(mostOfClient))
    if (client !== undefined && own) clients.set(client, own)
    const groups = own ? [all, own] : [all]
    const state: Connection = { groups, pending: 0, silentAt: 0, silentSince: 0 }
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
      if (client !== undefined && own?.open === 0) clients.delete(client)
    })
    // The client's own connections first: the listener may then be below its bound.
    for (const group of groups.toReversed()) {
      if (group.open > group.most) closeLongestIdle(group, socket)
    }
  })

  server.on('request', ({ socket }: { readonly socket: Known }, response) => {
    const state = socket[connection]
    if (!state) return
    state.pending++
    for (const { idle } of state.groups) idle.delete(socket)
    response.on('close', ended)
  })

  // The timer of each socket: Node.js starts it again at each byte that is read or taken. Bytes that the
  // system takes of one large write show only when the timer ends, so it ends many times in a timeout.
  const step = writeTimeout / stepsOfTimeout
  server.timeout = step
  server.on('timeout', (socket: Known) => {
    const state = socket[connection]
    // Node.js has set another time while it waits for the next request.
    if (!state || socket.timeout !== step) return void socket.destroy()
    const at = performance.now()
    const waitsForUs = state.pending > 0 && socket.writableLength === 0
    const hasTakenBytes = at - state.silentAt > step * 1.5
    if (waitsForUs || hasTakenBytes) state.silentSince = at - step
    state.silentAt = at
    if (at - state.silentSince < writeTimeout - step / 2) socket.setTimeout(step)
    else socket.destroy()
  })
}

const stepsOfTimeout = 10

/** Connections that share a bound. */
interface Group {
  readonly most: number
  open: number
  /** Those without a request that waits for its response, the longest idle first. */
  readonly idle: Set<Socket>
}

/** On the socket itself: a map of sockets costs each request a look-up. */
const connection = Symbol('connection')

interface Connection {
  readonly groups: readonly Group[]
  /** Requests whose responses have not ended. */
  pending: number
  /** When the timer ended last, and since when the client has taken no byte, by `performance.now()`. */
  silentAt: number
  silentSince: number
}

interface Known extends Socket {
  [connection]?: Connection
}

function emptyGroup(most: number): Group {
  return { most, open: 0, idle: new Set() }
}

function closeLongestIdle({ idle }: Group, newest: Socket): void {
  // The newest is always among them; where it is the only one, every other one is in use.
  const [longest = newest] = idle
  longest.destroy()
}

function ended(this: ServerResponse): void {
  const socket: Known = this.req.socket
  const state = socket[connection]
  if (!state || --state.pending > 0 || socket.destroyed) return
  for (const { idle } of state.groups) idle.add(socket)
}
