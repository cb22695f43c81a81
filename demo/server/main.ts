/** Starts the shop, prints one line when it is ready, and stops it on a signal. @module */
import { once } from 'node:events'
import { createServer, type Server } from 'node:http'
import { PaymentIntents } from '@pi-checkout/server'
import { shopApp } from './app.ts'
import { shopCheckout, shopPayments } from './checkout.ts'
import { readConfig } from './config.ts'
import { openDatabase } from './database.ts'
import { sessionsAt } from './session.ts'

try {
  await start()
} catch (error) {
  console.error(explain(error))
  process.exit(1)
}

async function start(): Promise<void> {
  const config = readConfig(process.env)
  const { port, data, checkoutOrigin, reconcileMs, inspectorUrl } = config
  const intents = new PaymentIntents()
  const server = createServer()
  server.listen(port, '127.0.0.1')
  await once(server, 'listening')
  const shopOrigin = config.shopOrigin ?? `http://localhost:${portOf(server)}`

  const db = openDatabase(data)
  const sessions = sessionsAt(shopOrigin)
  const payments = shopPayments(db)
  const checkout = shopCheckout({
    db,
    sessions,
    intents,
    payments,
    shopOrigin,
    checkoutOrigin,
  })
  // The port is open: a request must not wait for the check of the service.
  server.on(
    'request',
    shopApp({
      db,
      sessions,
      intents,
      payments,
      checkout,
      shopOrigin,
      checkoutOrigin,
      inspectorUrl,
    }),
  )
  const stopSettling = await checkout.start({ interval: reconcileMs })
  console.log(JSON.stringify({ shopUrl: shopOrigin }))

  for (const signal of ['SIGTERM', 'SIGINT'] as const) {
    process.once(signal, async () => {
      await Promise.all([stopSettling(), close(server)])
      db.close()
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
