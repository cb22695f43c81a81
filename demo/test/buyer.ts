/** A buyer without a browser: cookies, the headers that a browser sends, and what the pages show. @module */

const formType = 'application/x-www-form-urlencoded'

export class Buyer {
  readonly #shopUrl: string
  readonly #shopOrigin: string
  readonly #cookies = new Map<string, string>()

  /** @param shopOrigin - The shop's public origin behind a proxy. */
  constructor(shopUrl: string, shopOrigin = shopUrl) {
    this.#shopUrl = shopUrl
    this.#shopOrigin = shopOrigin
  }

  /** Sends a request as the shop's page does: `body` as JSON, `form` as a form. `headers` replace the page's. */
  async send(
    path: string,
    {
      method = 'GET',
      body,
      form,
      headers = {},
    }: { method?: string; body?: unknown; form?: Fields; headers?: object } = {},
  ): Promise<Response> {
    const own = { origin: this.#shopOrigin, 'sec-fetch-site': 'same-origin' }
    const response = await fetch(this.#shopUrl + path, {
      method,
      redirect: 'manual',
      headers: {
        cookie: [...this.#cookies].map(([name, value]) => `${name}=${value}`).join('; '),
        ...(method === 'GET'
          ? {}
          : { ...own, 'content-type': form ? formType : 'application/json' }),
        ...headers,
      },
      ...(form && { body: String(new URLSearchParams(form as Record<string, string>)) }),
      ...(body !== undefined && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
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

  /** Sends a form, and follows to the page that it leads to. */
  async submit(path: string, fields: Fields = {}): Promise<Response> {
    const response = await this.send(path, { method: 'POST', form: fields })
    const next = response.headers.get('location')
    return next === null ? response : await this.send(next)
  }

  async put(product: string, quantity: number) {
    return readCart(await pageOf(await this.submit('/cart', { product, quantity })))
  }

  /** @returns The order that "Check out" leads to; `undefined` for an empty cart. */
  async placeOrder(): Promise<string> {
    const response = await this.send('/orders', { method: 'POST', form: {} })
    const [, orderId] = /^\/pay\/(.+)$/.exec(response.headers.get('location') ?? '') ?? []
    if (!orderId) throw new Error(`the shop returned ${response.status}`)
    return orderId
  }

  async requestHandoff(orderId: string): Promise<Response> {
    return await this.send('/checkout/handoff', { method: 'POST', body: { orderId } })
  }

  async handoff(orderId: string): Promise<{ id: string; clientSecret: string }> {
    return jsonOf(await this.requestHandoff(orderId))
  }

  async status(orderId: string): Promise<string> {
    return (await jsonOf<{ phase: string }>(await this.send(`/checkout/status?orderId=${orderId}`)))
      .phase
  }

  async order(orderId: string) {
    return readOrder(await pageOf(await this.send(`/orders/${orderId}`)))
  }

  /** Presses "Edit cart". Returns the path that the shop leads to. */
  async editCart(orderId: string): Promise<string | null> {
    const response = await this.send(`/orders/${orderId}/edit`, { method: 'POST', form: {} })
    return response.headers.get('location')
  }

  async orders() {
    const cards = (await pageOf(await this.send('/orders'))).split('class="order-card"').slice(1)
    return cards.map((card) => ({
      id: one(card, /href="\/orders\/([^"]+)"/),
      state: one(card, /data-state="(\w+)"/),
    }))
  }

  async cart() {
    return readCart(await pageOf(await this.send('/cart')))
  }

  async catalogue() {
    const cards = (await pageOf(await this.send('/'))).split('id="product-').slice(1)
    return cards.map((card) => ({
      id: one(card, /^([\w-]+)"/),
      price: one(card, /class="money">([^<]+)</),
      quantity: Number(one(card, /name="was" value="(\d+)"/)),
    }))
  }
}

type Fields = Readonly<Record<string, string | number>>

interface Line {
  readonly product: string
  readonly quantity: number
}

function readCart(page: string) {
  return {
    lines: linesOf(page, /data-testid="line-([\w-]+)" data-quantity="(\d+)"/g),
    total: /data-testid="cart-total">([^<]+)</.exec(page)?.[1],
    pieces: Number(one(page, /data-testid="cart-count">(\d+)</)),
    unpaidOrder: /data-testid="unpaid-order"[\s\S]*?href="\/orders\/([^"]+)"/.exec(page)?.[1],
  }
}

function readOrder(page: string) {
  return {
    id: one(page, /data-testid="order-id"><bdi>([^<]+)</),
    state: one(page, /data-testid="order-state" data-state="(\w+)"/),
    amount: one(page, /data-testid="order-total">([^<]+)</),
    lines: linesOf(page, /data-product="([\w-]+)" data-quantity="(\d+)"/g),
    paidWith: /data-testid="paid-with"><bdi>([^<]+)</.exec(page)?.[1],
    payable: page.includes('href="/pay/'),
    isUnderReview: page.includes('data-testid="under-review"'),
  }
}

function linesOf(page: string, pattern: RegExp): Line[] {
  const lines = [...page.matchAll(pattern)]
  return lines.map(([, product = '', quantity]) => ({ product, quantity: Number(quantity) }))
}

function one(page: string, pattern: RegExp): string {
  const [, found] = pattern.exec(page) ?? []
  if (found === undefined) throw new Error(`the page has no ${pattern.source}`)
  return found
}

async function pageOf(response: Response): Promise<string> {
  const text = await response.text()
  if (!response.ok) throw new Error(`the shop returned ${response.status}`)
  return text
}

async function jsonOf<T>(response: Response): Promise<T> {
  if (!response.ok)
    throw new Error(`the shop returned ${response.status}: ${await response.text()}`)
  return (await response.json()) as T
}
