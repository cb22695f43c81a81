/**
 * How many connections a listener keeps: when it is full, whoever has said nothing makes room.
 *
 * Without this a few thousand silent connections would keep everybody else out until their timeout.
 *
 * @module
 */
import type { Server } from 'node:http'
import type { Socket } from 'node:net'

/** What stays free for those who come while the silent ones go. */
const reserve = 200

/**
 * Bounds the open connections of a server that is about to listen.
 *
 * @param most Beyond it, the oldest connection that has not sent a request yet is cut off for each new
 * one; when all have, new ones are turned away.
 */
export function boundConnections(server: Server, most: number): void {
  const silent = new Set<Socket>()
  let open = 0
  server.maxConnections = most + reserve
  server.on('connection', (socket) => {
    open++
    silent.add(socket)
    socket.once('close', () => {
      open--
      silent.delete(socket)
    })
    if (open <= most) return
    const [oldest] = silent
    if (oldest && oldest !== socket) oldest.destroy()
  })
  server.on('request', ({ socket }) => {
    silent.delete(socket)
  })
}
