/**
 * Answers creates and retrieves immediately, in a separate process, so that only clients are measured.
 *
 * @module
 */
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'

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

const server = createServer((request, response) => {
  const chunks: Buffer[] = []
  request.on('data', (chunk: Buffer) => chunks.push(chunk))
  request.on('end', () => {
    const text = Buffer.concat(chunks).toString()
    // Stripe sends forms, and its client does not check the response.
    const fields: object = text.startsWith('{') ? JSON.parse(text) : {}
    const body = JSON.stringify({ ...intent, ...fields })
    response.writeHead(request.method === 'POST' ? 201 : 200, {
      'content-type': 'application/json; charset=utf-8',
      'content-length': Buffer.byteLength(body),
      'cache-control': 'no-store',
      'request-id': 'req_bench',
    })
    response.end(body)
  })
})
server.listen(0, '127.0.0.1', () => process.send?.((server.address() as AddressInfo).port))
process.on('disconnect', () => process.exit())
