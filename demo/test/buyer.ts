/** A buyer without a browser, with what the demo's pages show. @module */
import { ShopBuyer } from '@pi-checkout/test-support/demo-buyer'

export class Buyer extends ShopBuyer {
  async put(product: string, quantity: number): Promise<void> {
    await this.submit('/cart', { product, quantity })
  }

  async cart() {
    const page = await this.page('/cart')
    const lines = [...page.matchAll(/data-testid="line-([\w-]+)" data-quantity="(\d+)"/g)]
    return Object.fromEntries(lines.map(([, product, quantity]) => [product, Number(quantity)]))
  }

  async order(orderId: string) {
    const page = await this.page(`/orders/${orderId}`)
    return {
      state: /data-testid="order-state" data-state="(\w+)"/.exec(page)?.[1],
      amount: /data-testid="order-total">([^<]+)</.exec(page)?.[1],
      payable: page.includes(`href="/pay/${orderId}"`),
    }
  }

  /** Presses "Edit order". Returns the path that the shop leads to. */
  async editCart(orderId: string): Promise<string | null> {
    const response = await this.send(`/orders/${orderId}/edit`, { method: 'POST', form: {} })
    return response.headers.get('location')
  }

  /** Opens a page as a browser does. */
  async page(path: string): Promise<string> {
    return await (await this.send(path, { headers: { accept: 'text/html' } })).text()
  }
}
