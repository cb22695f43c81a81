/** Ports of loopback on which no program listens. @module */
import { createServer } from 'node:net'

/**
 * Returns a free port, below the range from which systems take ports for port 0 and for outgoing connections.
 *
 * @param count - How many consecutive ports are free, the returned one first.
 */
export async function freePort(count = 1): Promise<number> {
  for (;;) {
    const first = 20_000 + Math.floor(Math.random() * 12_000)
    const ports = Array.from({ length: count }, (_, index) => first + index)
    const free = await Promise.all(ports.map(isFree))
    if (!free.includes(false)) return first
  }
}

function isFree(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const server = createServer()
    server.once('error', () => resolve(false))
    server.listen(port, '127.0.0.1', () => server.close(() => resolve(true)))
  })
}
