/** Starts the shop, prints one line when it is ready, and stops it on a signal. @module */
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { PaymentIntents } from '@pi-checkout/server'
import { shopApp } from './app.ts'
import { readConfig } from './config.ts'
import { openShop } from './shop.ts'
import { staffUser } from './staff.ts'

// Only the owner can read the files of the shop.
process.umask(0o077)
try {
  await start()
} catch (error) {
  const { message, code } = error as NodeJS.ErrnoException
  const { PORT = '3000' } = process.env
  console.error(
    code === 'EADDRINUSE'
      ? `Port ${PORT} is already in use. Stop the other program, or set another port: PORT=3001 npm start`
      : `The shop could not start. ${message}`,
  )
  process.exit(1)
}

async function start(): Promise<void> {
  const { port, interval, ...config } = readConfig(process.env)
  const server = createServer()
  server.listen(port, '127.0.0.1')
  await once(server, 'listening')
  const { port: listening } = server.address() as AddressInfo
  const shopOrigin = config.shopOrigin ?? `http://localhost:${listening}`
  const staffPassword = config.staffPassword ?? randomBytes(9).toString('base64url')
  const shop = openShop({ ...config, shopOrigin, staffPassword, intents: new PaymentIntents() })
  // The port is open: a request must not wait for the check of the service.
  server.on('request', shopApp(shop))
  const stopSettling = await shop.checkout.start({ interval })
  // A password that was set is known, and stays out of logs.
  const password = config.staffPassword === undefined && { password: staffPassword }
  const staff = { url: `${shopOrigin}/staff`, user: staffUser, ...password }
  console.log(JSON.stringify({ shopUrl: shopOrigin, staff }))

  for (const signal of ['SIGTERM', 'SIGINT'] as const) {
    process.once(signal, async () => {
      await Promise.all([stopSettling(), close(server)])
      shop.db.close()
      // A connection that is kept open must not delay the end.
      process.exit(0)
    })
  }
}

/** Finishes the requests that have begun. */
async function close(server: Server): Promise<void> {
  const closed = once(server, 'close')
  server.close()
  // A browser may keep a connection without a request.
  setTimeout(() => server.closeAllConnections(), 2000)
  await closed
}
