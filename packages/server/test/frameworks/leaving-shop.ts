/** A shop in every framework, in one separate process, which an unhandled error ends. @module */
import { startSite } from '@pi-checkout/test-support/sites'
import { createCheckout, memoryPayments, PaymentIntents } from '../../src/index.ts'
import { fakeService } from '../../src/testing/fake-service.ts'
import { mounts } from './mounts.ts'

const checkout = createCheckout({
  intents: new PaymentIntents(fakeService().options),
  shopOrigin: 'https://shop.example',
  authorize: () => 'A-1001',
  order: async () => {
    await new Promise(setImmediate) // Asynchronous, like a database.
    return { orderId: 'A-1001', amount: 150000, currency: 'AMD' } as const
  },
  payments: memoryPayments(),
  onPaid: () => true,
  // A client that leaves is not printed.
  onError: () => {},
})
const ports: Record<string, number> = {}
for (const [name, mount] of mounts) {
  ports[name] = (await startSite(await mount(checkout, () => {}))).port
}
process.stdout.write(`${JSON.stringify(ports)}\n`)
