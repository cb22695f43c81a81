// A client on a raw socket that leaves in the middle: after so many bytes of its request, or of the response.
import { connect } from 'node:net'

/** How a client leaves: `fin` closes its side in order, `rst` resets the connection. */
const departures = /** @type {const} */ (['fin', 'rst'])

/** Offsets from 0 to `length`, both included: 65, or every byte of a shorter text. */
function offsets(length) {
  const steps = Math.min(length, 64)
  return Array.from({ length: steps + 1 }, (_, at) =>
    Math.round((at * length) / Math.max(steps, 1)),
  )
}

/**
 * Sends the first `sent` bytes of a request and leaves. A request that was sent whole gets read up to `received`
 * bytes of its response first.
 *
 * @param {object} visit
 * @param {number} visit.port
 * @param {string} [visit.host]
 * @param {string} visit.request In Latin-1, head and body.
 * @param {number} [visit.sent] Default: all of it.
 * @param {number} [visit.received] Default: 0.
 * @param {'fin' | 'rst'} visit.departure
 * @returns {Promise<void>} Resolves when the socket is closed.
 */
function visitAndLeave({
  port,
  host = '127.0.0.1',
  request,
  sent = request.length,
  received = 0,
  departure,
}) {
  return new Promise((resolve) => {
    let count = 0
    const leave = () => {
      if (departure === 'rst') socket.resetAndDestroy()
      else socket.destroy()
    }
    // A buffer of the wanted size reads no byte more: what is left unread breaks the connection.
    const buffer = Buffer.alloc(Math.max(received, 1))
    const onread = {
      buffer,
      callback: (read) => {
        count += read
        if (count >= received) leave()
        return true
      },
    }
    const socket = connect({ port, host, ...(received > 0 ? { onread } : {}) }, () => {
      const bytes = Buffer.from(request.slice(0, sent), 'latin1')
      if (bytes.length === 0) leave()
      else socket.write(bytes, () => received === 0 && leave())
    })
    socket.on('error', () => {}) // The server may reset, too.
    socket.on('close', () => resolve())
  })
}

/**
 * Sends a request that asks for the end of the connection, and reads to that end.
 *
 * @param {{ port: number, host?: string, request: string }} visit
 * @returns {Promise<string>} The response, in Latin-1.
 */
async function visitToTheEnd({ port, host = '127.0.0.1', request }) {
  const socket = connect({ port, host })
  socket.write(request, 'latin1')
  const chunks = []
  for await (const chunk of socket) chunks.push(chunk)
  return Buffer.concat(chunks).toString('latin1')
}

/**
 * Leaves at offsets of each request and of its response, eight clients at once, and calls `serves` after each eight.
 *
 * @param {object} tour
 * @param {number} tour.port
 * @param {string} [tour.host]
 * @param {readonly string[]} tour.requests Each must ask for the end of its connection.
 * @param {readonly string[]} [tour.endless] Requests whose response is long in coming, or never ends.
 * @param {() => Promise<unknown>} tour.serves Rejects when the server no longer serves.
 */
export async function leaveEverywhere({ port, host, requests, endless = [], serves }) {
  for (const request of [...requests, ...endless]) {
    const waits = endless.includes(request)
    const { length } = waits ? '' : await visitToTheEnd({ port, host, request })
    for (const departure of departures) {
      const visits = [
        ...offsets(request.length).map((sent) => ({ sent })),
        ...offsets(length).map((received) => ({ received })),
      ]
      while (visits.length > 0) {
        const some = visits
          .splice(0, 8)
          .map((visit) => ({ port, host, request, departure, ...visit }))
        await Promise.all(some.map(visitAndLeave))
        await serves()
      }
    }
  }
}
