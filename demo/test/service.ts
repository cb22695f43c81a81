/** The helper's fake service over HTTP, whose tests set the status of each payment. @module */
import { text } from 'node:stream/consumers'
import type { PaymentIntent, PaymentIntentStatus } from '@pi-checkout/server'
import { fakeService } from '@pi-checkout/server/testing'
import { startSite } from '@pi-checkout/test-support/sites'

export interface Service {
  readonly baseUrl: string
  readonly apiKey: string
  /** The intents of an order, or all, in the order of creation. */
  intents(orderId?: string): readonly PaymentIntent[]
  /** Counts the creates, replays included, or the retrieves. */
  count(method: 'POST' | 'GET'): number
  /** Creates wait for it before they respond. */
  held: Promise<void>
  settle(id: string, status: PaymentIntentStatus): void
  close(): Promise<void>
}

export async function startService(): Promise<Service> {
  const fake = fakeService()
  const { apiKey } = fake.options
  const { origin: baseUrl, close } = await startSite(async (req, res) => {
    const { method = 'GET', url = '' } = req
    const headers = Object.entries(req.headers).map(([name, value]) => [name, String(value)])
    const body = method === 'POST' ? await text(req) : null
    const init = { method, headers: Object.fromEntries(headers), body }
    const response = await fake.fetch(fake.options.baseUrl + url, init)
    if (method === 'POST') await service.held
    res.writeHead(response.status, Object.fromEntries(response.headers))
    res.end(await response.text())
  })
  const service: Service = {
    baseUrl,
    apiKey,
    held: Promise.resolve(),
    close,
    intents: (orderId) =>
      fake.intents.filter((it) => orderId === undefined || it.orderId === orderId),
    count: (method) => fake.requests.filter((request) => request.method === method).length,
    settle: (id, status) => void fake.settle(id, status),
  }
  return service
}
