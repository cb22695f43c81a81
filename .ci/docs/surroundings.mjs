// Stands around an example that is run: a fake service at PI_BASE_URL, and a shop with one order.
import { PaymentIntents } from '@pi-checkout/server'
import { fakeService } from '@pi-checkout/server/testing'

const service = fakeService()
globalThis.fetch = service.fetch
process.env.PI_API_KEY = service.options.apiKey
process.env.PI_BASE_URL = service.options.baseUrl
process.env.PI_CHECKOUT_ORIGIN = 'https://pay.example'
process.env.PI_HANDOFF_KEYS = `k1:${Buffer.alloc(32, 'a shop of the docs').toString('base64url')}`

globalThis.orders = {
  open: async function* () {
    const row = { amount: 1999, currency: 'USD', orderId: 'A-7' }
    const { intent } = await new PaymentIntents().create(row)
    service.settle('A-7', 'succeeded')
    yield { ...row, intentId: intent.id }
  },
  markPaid: async () => {},
  callAPerson: async () => {},
}
