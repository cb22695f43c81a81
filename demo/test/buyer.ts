/** A buyer without a browser: cookies, and the headers that a browser sends. @module */
import type { CartData, CatalogueData, OrderData, OrdersData } from '../server/page-data.ts'

export class Buyer {
  readonly #shopUrl: string
  readonly #shopOrigin: string
  readonly #cookies = new Map<string, string>()

  /** @param shopOrigin - The shop's public origin behind a proxy. */
  constructor(shopUrl: string, shopOrigin = shopUrl) {
    this.#shopUrl = shopUrl
    this.#shopOrigin = shopOrigin
  }

  /** Sends a request as the shop's page does; `headers` replace the page's headers. */
  async send(
    path: string,
    {
      method = 'GET',
      body,
      headers = {},
    }: { method?: string; body?: unknown; headers?: object } = {},
  ): Promise<Response> {
    const own = { origin: this.#shopOrigin, 'sec-fetch-site': 'same-origin' }
    const response = await fetch(this.#shopUrl + path, {
      method,
      redirect: 'manual',
      headers: {
        cookie: [...this.#cookies].map(([name, value]) => `${name}=${value}`).join('; '),
        ...(method === 'GET' ? {} : { ...own, 'content-type': 'application/json' }),
        ...headers,
      },
      ...(body === undefined
        ? {}
        : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
    })
    for (const cookie of response.headers.getSetCookie()) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(cookie) ?? []
      if (value) this.#cookies.set(name, value)
      else this.#cookies.delete(name)
    }
    return response
  }

  cookie(name: string): string | undefined {
    return this.#cookies.get(name)
  }

  setCookie(name: string, value: string): void {
    this.#cookies.set(name, value)
  }

  dropCookie(name: string): void {
    this.#cookies.delete(name)
  }

  async visit(): Promise<this> {
    await this.send('/')
    return this
  }

  async put(product: string, quantity: number): Promise<CartData> {
    return this.#json(
      await this.send(`/api/cart/${product}`, { method: 'PUT', body: { quantity } }),
    )
  }

  async placeOrder(): Promise<string> {
    const { orderId } = await this.#json<{ orderId: string }>(
      await this.send('/api/orders', { method: 'POST', body: {} }),
    )
    return orderId
  }

  async handoff(orderId: string): Promise<{ id: string; clientSecret: string }> {
    return this.#json(await this.send('/checkout/handoff', { method: 'POST', body: { orderId } }))
  }

  async status(orderId: string): Promise<string> {
    const { phase } = await this.#json<{ phase: string }>(
      await this.send(`/checkout/status?orderId=${orderId}`),
    )
    return phase
  }

  async order(orderId: string): Promise<OrderData['order']> {
    return (await this.#json<OrderData>(await this.send(`/api/orders/${orderId}`))).order
  }

  /** Settles the order, as its page does when it opens. */
  async settle(orderId: string): Promise<OrderData['order']> {
    const response = await this.send(`/api/orders/${orderId}/settle`, { method: 'POST', body: {} })
    return (await this.#json<OrderData>(response)).order
  }

  async orders(): Promise<OrdersData['orders']> {
    return (await this.#json<OrdersData>(await this.send('/api/orders'))).orders
  }

  async cart(): Promise<CartData> {
    return this.#json(await this.send('/api/cart'))
  }

  async catalogue(): Promise<CatalogueData> {
    return this.#json(await this.send('/api/catalogue'))
  }

  async #json<T>(response: Response): Promise<T> {
    if (!response.ok)
      throw new Error(`the shop returned ${response.status}: ${await response.text()}`)
    return (await response.json()) as T
  }
}
