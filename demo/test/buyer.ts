/** A buyer without a browser, with what the demo's pages show. @module */
import { ShopBuyer } from '@pi-checkout/test-support/http-buyer'

export class Buyer extends ShopBuyer {
  async put(product: string, quantity: number) {
    return readCart(await pageOf(await this.submit('/cart', { product, quantity })))
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
    const cards = (await pageOf(await this.send('/'))).split('id="item-').slice(1)
    return cards.map((card) => ({
      id: one(card, /^([\w-]+)"/),
      price: one(card, /class="money">([^<]+)</),
      quantity: Number(one(card, /name="was" value="(\d+)"/)),
    }))
  }
}

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
