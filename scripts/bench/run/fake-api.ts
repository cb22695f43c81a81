/** Responds to creates and retrieves immediately, in a separate process, so that only clients are measured. @module */
import { text } from 'node:stream/consumers'
import { listen } from './child.ts'

const intent = {
  id: 'pi_bench',
  amount: 150000,
  currency: 'AMD',
  orderId: 'A-1001',
  clientSecret: 'pi_bench_secret_bench',
  customer: null,
  metadata: null,
  status: 'requires_payment_method',
  paymentMethod: null,
  lastPaymentFailure: null,
  nextAction: null,
  providerPaymentId: null,
  createdAt: '2026-11-20T10:00:00.000Z',
  updatedAt: '2026-11-20T10:00:00.000Z',
}

await listen(async (request, response) => {
  const sent = await text(request)
  // Stripe sends forms, and its client does not check the response.
  const fields: object = sent.startsWith('{') ? JSON.parse(sent) : {}
  const body = JSON.stringify({ ...intent, ...fields })
  response.writeHead(request.method === 'POST' ? 201 : 200, {
    'content-type': 'application/json; charset=utf-8',
    'content-length': Buffer.byteLength(body),
    'cache-control': 'no-store',
    'request-id': 'req_bench',
    'payment-intents-profile': 'pi-checkout',
  })
  response.end(body)
})
