/**
 * Limits how long the bytes of clients keep the event loop busy, and gives each client its turn.
 *
 * Node.js parses all that it reads at once before anything else runs. That can be 64 KB, with thousands of requests or
 * chunks, from each of thousands of connections. Here the parser gets a slice at a time, and a turn of the event loop
 * has a limited time for it. The other bytes wait, and each client that waits has a slice parsed in its turn.
 *
 * @module
 */
import type { Server } from 'node:http'
import type { Socket } from 'node:net'

/** Most requests have fewer bytes. */
export const sliceBytes = 2048
/** Time in milliseconds that a turn of the event loop parses. */
const turnTime = 5
/**
 * Maximum number of bytes that wait. Above it, connections with more than a slice are closed. One slice can always
 * wait, so an ordinary request is served.
 */
export const maxWaitingBytes = 16 * 2 ** 20
/** Maximum number of turns that only accept connections, one in each. Later ones may be those of other clients. */
const maxAcceptTurns = 32

/**
 * Parses what connections send in turn. Call it before the server listens.
 *
 * @param clientOf - Connections with the same result share their turns.
 */
export function readInTurn(server: Server, clientOf: (socket: Socket) => string): void {
  /** Connections whose bytes wait, and how many bytes, by client. The first one is next. */
  const waiting = new Map<string, Map<Socket, number>>()
  let waitingBytes = 0
  let spent = 0
  let isScheduled = false
  let accepts = false
  let acceptTurns = 0
  /** Connection whose next bytes are parsed, although others wait. */
  let current: Socket | undefined

  server.on('connection', (socket: Socket) => {
    accepts = true
    // Node.js parses what `data` emits when it has another listener. Otherwise, it would read without the event.
    const [parse] = socket.listeners('data') as Parse[]
    if (!parse) throw new Error('The server has no listener for data')
    socket.off('data', parse)
    socket.on('data', (bytes: Buffer) => receive(socket, bytes, parse))
  })

  function receive(socket: Socket, bytes: Buffer, parse: Parse): void {
    const isNext = socket === current || (waiting.size === 0 && spent < turnTime)
    if (socket === current) current = undefined
    // A connection that is closing sends no further response.
    if (!socket.writable) return
    if (isNext) {
      const begin = performance.now()
      parse(bytes.length > sliceBytes ? bytes.subarray(0, sliceBytes) : bytes)
      spent += performance.now() - begin
      if (spent > turnTime / 2) schedule()
      if ((bytes.length <= sliceBytes && socket.readableLength === 0) || !socket.writable) return
    }
    const rest = isNext ? bytes.subarray(sliceBytes) : bytes
    // Node.js paused it until a response or a body is read, and resumes it then.
    const isPaused = socket.isPaused()
    socket.pause()
    if (rest.length > 0) socket.unshift(rest)
    if (!isPaused) wait(socket)
  }

  function wait(socket: Socket): void {
    const client = clientOf(socket)
    const sockets = waiting.get(client) ?? new Map<Socket, number>()
    const bytes = socket.readableLength
    waitingBytes += bytes - (sockets.get(socket) ?? 0)
    waiting.set(client, sockets.set(socket, bytes))
    if (waitingBytes > maxWaitingBytes && bytes > sliceBytes) socket.destroy()
    schedule()
  }

  function schedule(): void {
    if (isScheduled) return
    isScheduled = true
    setImmediate(beginTurn)
  }

  function beginTurn(): void {
    if (accepts && acceptTurns < maxAcceptTurns) {
      accepts = false
      acceptTurns++
      setImmediate(beginTurn)
      return
    }
    acceptTurns = 0
    spent = 0
    serveNext()
  }

  function serveNext(): void {
    current = spent < turnTime ? takeNext() : undefined
    if (current) {
      // It emits its bytes before the next call.
      current.resume()
      process.nextTick(serveNext)
    } else if (waiting.size > 0) {
      setImmediate(beginTurn)
    } else {
      isScheduled = false
    }
  }

  /** Removes the next connection. Its client becomes the last one. */
  function takeNext(): Socket | undefined {
    for (const [client, sockets] of waiting) {
      waiting.delete(client)
      for (const [socket, bytes] of sockets) {
        sockets.delete(socket)
        waitingBytes -= bytes
        if (socket.destroyed) continue
        if (sockets.size > 0) waiting.set(client, sockets)
        return socket
      }
    }
    return undefined
  }
}

type Parse = (bytes: Buffer) => void
