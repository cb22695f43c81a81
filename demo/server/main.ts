/** Starts the shop, prints one line when it is ready, and stops it on a signal. @module */
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { createServer, type Server } from 'node:http'
import { PaymentIntents } from '@pi-checkout/server'
import { shopApp } from './app.ts'
import { readConfig } from './config.ts'
import { openShop } from './shop.ts'
import { staffUser } from './staff.ts'

try {
  await start()
} catch (error) {
  console.error(explain(error))
  process.exit(1)
}

async function start(): Promise<void> {
  const { port, reconcileMs, ...config } = readConfig(process.env)
  const server = createServer()
  server.listen(port, '127.0.0.1')
  await once(server, 'listening')
  const shopOrigin = config.shopOrigin ?? `http://localhost:${portOf(server)}`
  const staffPassword = config.staffPassword ?? randomBytes(9).toString('base64url')
  const shop = openShop({ ...config, shopOrigin, staffPassword, intents: new PaymentIntents() })
  // The port is open: a request must not wait for the check of the service.
  server.on('request', shopApp(shop))
  const stopSettling = await shop.checkout.start({ interval: reconcileMs })
  // A password that was set is known, and stays out of logs.
  const staff = { url: `${shopOrigin}/staff`, user: staffUser }
  const password = config.staffPassword === undefined && { password: staffPassword }
  console.log(JSON.stringify({ shopUrl: shopOrigin, staff: { ...staff, ...password } }))

  for (const signal of ['SIGTERM', 'SIGINT'] as const) {
    process.once(signal, async () => {
      await Promise.all([stopSettling(), close(server)])
      shop.db.close()
      // An unresponsive service must not delay the end: no request waits for it now.
      process.exit(0)
    })
  }
}

function portOf(server: Server): number {
  const address = server.address()
  return typeof address === 'object' ? (address?.port ?? 0) : 0
}

/** Accepts no new requests, finishes pending ones, and closes the remaining connections after five seconds. */
async function close(server: Server): Promise<void> {
  const closed = once(server, 'close')
  server.close()
  // Repeated, because a connection that is busy now may be idle later.
  const sweep = setInterval(() => server.closeIdleConnections(), 50)
  const cut = setTimeout(() => server.closeAllConnections(), 5000)
  await closed
  clearInterval(sweep)
  clearTimeout(cut)
}

function explain(error: unknown): string {
  if (!(error instanceof Error)) return 'The shop could not start.'
  if ('code' in error && error.code === 'EADDRINUSE') {
    const { PORT = '3000' } = process.env
    return `Port ${PORT} is already in use. Stop the other program, or set another port: PORT=3001 npm start`
  }
  return `The shop could not start. ${error.message}`
}
