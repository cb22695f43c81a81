/** Small HTTP servers on free ports of loopback, each a site with its own name for browsers. @module */
import { once } from 'node:events'
import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'

export interface Site {
  readonly port: number
  /** `http://NAME:PORT`. Only browsers resolve names below `.localhost`. */
  readonly origin: string
  /** Adds a listener, for one that needs to know the port. */
  serve(listener: RequestListener): void
  close(): Promise<void>
}

/**
 * Starts a server.
 *
 * @param name - Host name in `origin`, such as `shop.localhost`. The server listens on 127.0.0.1.
 */
export async function startSite(
  listener?: RequestListener,
  { name = '127.0.0.1' }: { readonly name?: string } = {},
): Promise<Site> {
  const server = createServer(listener)
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  return {
    port,
    origin: `http://${name}:${port}`,
    serve: (added) => void server.on('request', added),
    close: async () => {
      const closed = once(server, 'close')
      server.close()
      server.closeAllConnections()
      await closed
    },
  }
}
