/** A buyer of the demo shop without a browser. @module */
import { type Fields, type Handoff, HostedPage, HttpBuyer, jsonOf } from './http-buyer.ts'
import type { Stack } from './stack.ts'

/** A buyer in a shop with the demo's routes. */
export class ShopBuyer extends HttpBuyer {
  /** @param shopOrigin - The shop's public origin behind a proxy. */
  constructor(shopUrl: string, shopOrigin = shopUrl) {
    super({ origin: shopOrigin, address: () => shopUrl })
  }

  /** Opens the catalogue, which begins a session. */
  async visit(): Promise<this> {
    await this.send('/')
    return this
  }

  /** Sends a form, and follows to the page that it leads to. */
  async submit(path: string, fields: Fields = {}): Promise<Response> {
    const response = await this.send(path, { method: 'POST', form: fields })
    const next = response.headers.get('location')
    return next === null ? response : await this.send(next)
  }

  /** Orders what is in the cart. @returns The order that "Check out" leads to. */
  async placeOrder(): Promise<string> {
    const response = await this.send('/orders', { method: 'POST', form: {} })
    const [, orderId] = /^\/pay\/(.+)$/.exec(response.headers.get('location') ?? '') ?? []
    if (!orderId) throw new Error(`the shop returned ${response.status}`)
    return orderId
  }

  async requestHandoff(orderId: string): Promise<Response> {
    return await this.send('/checkout/handoff', { method: 'POST', body: { orderId } })
  }

  async handoff(orderId: string): Promise<Handoff> {
    return jsonOf(await this.requestHandoff(orderId))
  }

  /** The phase of the order after the shop has checked its payments. */
  async status(orderId: string): Promise<string> {
    const response = await this.send(`/checkout/status?orderId=${orderId}`)
    return (await jsonOf<{ phase: string }>(response)).phase
  }
}

/** A buyer who has ordered a product of the demo shop, and the hosted page of that order. */
export async function orderedBuyer({ shopUrl, api }: Pick<Stack, 'shopUrl' | 'api'>) {
  const buyer = await new ShopBuyer(`http://127.0.0.1:${new URL(shopUrl).port}`, shopUrl).visit()
  await buyer.submit('/cart', { product: 'thyme-tea', quantity: 1 })
  const orderId = await buyer.placeOrder()
  return {
    orderId,
    page: new HostedPage({ url: api.baseUrl, shopOrigin: shopUrl }),
    session: buyer.cookie('sid'),
    handoff: async () => await buyer.handoff(orderId),
    phase: async () => await buyer.status(orderId),
  }
}
