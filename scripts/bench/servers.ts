/**
 * What the clients and the load are sent to, each in a separate process: `servers.ts api` creates intents immediately,
 * and `servers.ts shop API_URL` has three routes of a handoff.
 *
 * @module
 */
import { text } from 'node:stream/consumers'
import { createCheckout, memoryPayments, PaymentIntents } from '@pi-checkout/server'
import { toNode } from '@pi-checkout/server/node'
import { fakeService } from '@pi-checkout/server/testing'
import { startSite } from '@pi-checkout/test-support/sites'
import express, { type Express, type RequestHandler } from 'express'
import { createByFetch } from './load.ts'

const price = { amount: 150000, currency: 'AMD' } as const
const { intent, handoff } = await new PaymentIntents(fakeService().options).create({
  ...price,
  orderId: 'A-1001',
})
let orders = 0

const [, , name, baseUrl = ''] = process.argv
process.on('disconnect', () => process.exit())
const { origin } = await startSite(name === 'api' ? api() : shop())
process.send?.(origin)

function api(): Express {
  return express().use(async (request, response) => {
    const sent = await text(request)
    // Stripe sends forms, and its client does not check the response.
    const fields: object = sent.startsWith('{') ? JSON.parse(sent) : {}
    response.set({ 'request-id': 'req_bench', 'payment-intents-profile': 'pi-checkout' })
    response
      .status(request.method === 'POST' ? 201 : 200)
      .json({ ...intent, ...handoff, ...fields })
  })
}

function shop(): Express {
  return express()
    .use(express.json())
    .use(handoffRoutes('/open', () => 'A-1001'))
    .use(handoffRoutes('/new', () => `A-${++orders}`))
    .post('/bare/handoff', async (_request, response) => {
      const { id, clientSecret } = await createByFetch(baseUrl, `A-${++orders}`)
      response.set('cache-control', 'no-store, private').json({ id, clientSecret })
    })
}

function handoffRoutes(basePath: string, authorize: () => string): RequestHandler {
  return toNode(
    createCheckout({
      basePath,
      intents: new PaymentIntents({ apiKey: 'bench-key', baseUrl, namespace: 'bench test' }),
      shopOrigin: 'http://localhost',
      authorize,
      order: (orderId) => ({ ...price, orderId }),
      payments: memoryPayments(),
      onPaid: () => true,
    }),
  )
}
