/** A process that creates intents immediately, and sends its address to the one that started it. @module */
import { text } from 'node:stream/consumers'
import { PaymentIntents } from '@pi-checkout/server'
import { fakeService } from '@pi-checkout/server/testing'
import { startSite } from '@pi-checkout/test-support/sites'

const order = { orderId: 'A-1001', amount: 150000, currency: 'AMD' } as const
const { intent, handoff } = await new PaymentIntents(fakeService().options).create(order)

process.on('disconnect', () => process.exit())
const { origin } = await startSite(async (request, response) => {
  const sent = JSON.parse(await text(request))
  response.writeHead(201, {
    'content-type': 'application/json',
    'request-id': 'req_bench',
    'payment-intents-profile': 'pi-checkout',
  })
  response.end(JSON.stringify({ ...intent, ...handoff, ...sent }))
})
process.send?.(origin)
