// Loaded before an example that is run: a fake service at PI_BASE_URL, and a shop with one order.
import { once } from 'node:events'
import { createServer } from 'node:http'
import { buffer } from 'node:stream/consumers'
import { createCheckout, memoryPayments, PaymentIntents } from '@pi-checkout/server'
import { fakeService } from '@pi-checkout/server/testing'

const service = fakeService()
const server = createServer(async (request, response) => {
  const { method, headers } = request
  const body = method === 'POST' ? await buffer(request) : undefined
  const url = service.options.baseUrl + request.url
  const result = await service.fetch(url, { method, headers: withoutHost(headers), body })
  response.writeHead(result.status, Object.fromEntries(result.headers))
  response.end(await result.text())
})
// An example exits when it is done, even with an open connection.
server.listen(0, '127.0.0.1').unref()
server.on('connection', (socket) => socket.unref())
await once(server, 'listening')

process.env.PI_API_KEY = service.options.apiKey
process.env.PI_BASE_URL = `http://127.0.0.1:${server.address().port}`
process.env.PI_CHECKOUT_ORIGIN = 'https://pay.example'

globalThis.checkout = createCheckout({
  intents: new PaymentIntents(),
  shopOrigin: 'https://shop.example',
  authorize: () => undefined,
  order: () => undefined,
  payments: memoryPayments(),
  onPaid: () => true,
})

function withoutHost({ host: _host, connection: _connection, ...headers }) {
  return headers
}
