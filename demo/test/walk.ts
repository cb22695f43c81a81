/**
 * A random walk of two buyers through the shop, and what must be true after each of its steps.
 *
 * The walk knows what each buyer put into the cart and the true status of each payment, and compares
 * both with what the shop shows. It reads nothing but the shop's own pages and the service.
 *
 * @module
 */
import { formatMoney, isCurrency } from '@pi-checkout/server'
import { expect } from 'vitest'
import type { Buyer, ShownOrder } from './buyer.ts'
import type { Outcome, Payments } from './payments.ts'
import { type OpenShop, openShop } from './shop.ts'

/** A payment form that a buyer has open in a tab. */
interface Tab {
  readonly orderId: string
  readonly intent: string
  /** Pieces that the buyer had taken out of the cart when the form opened. */
  readonly takenOut: number
}

interface Payment {
  readonly orderId: string
  readonly lines: string
  /** Formatted, as the shop shows it. */
  readonly amount: string
  /** The true status at the service. */
  status: string
}

/** One buyer: the pieces that they put in and did not take out or pay for, and their payments. */
class Shopper {
  readonly buyer: Buyer
  readonly cart = new Map<string, number>()
  /** Quantities on the page that this buyer looked at last. */
  seen: ReadonlyMap<string, number> = new Map()
  readonly tabs: Tab[] = []
  readonly payments = new Map<string, Payment>()
  readonly orders = new Set<string>()
  readonly paid = new Set<string>()
  takenOut = 0

  constructor(buyer: Buyer) {
    this.buyer = buyer
  }
}

export class Walk {
  readonly #payments: Payments
  readonly #folder: string
  #shop: OpenShop
  readonly #shoppers: readonly Shopper[]

  private constructor(
    payments: Payments,
    { folder, shop, buyers }: { folder: string; shop: OpenShop; buyers: readonly Buyer[] },
  ) {
    this.#payments = payments
    this.#folder = folder
    this.#shop = shop
    this.#shoppers = buyers.map((buyer) => new Shopper(buyer))
  }

  static async start(payments: Payments, folder: string): Promise<Walk> {
    const shop = await openShop(places(payments, folder))
    const buyers = [await shop.buyer(), await shop.buyer()]
    return new Walk(payments, { folder, shop, buyers })
  }

  /** Puts a piece into the first cart and opens its form: most steps need one. */
  async begin(): Promise<void> {
    await this.change(0, 'thyme-tea', 'add')
    await this.checkOut(0)
  }

  hasTab(who: number): boolean {
    return this.#shopper(who).tabs.length > 0
  }

  hasOrder(who: number): boolean {
    return this.#shopper(who).orders.size > 0
  }

  /** Opens the catalogue: the quantities on it stay on the screen until the next look. */
  async look(who: number): Promise<void> {
    const shopper = this.#shopper(who)
    const products = await shopper.buyer.catalogue()
    shopper.seen = new Map(products.map(({ id, quantity }) => [id, quantity]))
  }

  /** Presses Add, One fewer or Remove on the page that was opened last. */
  async change(who: number, product: string, press: 'add' | 'fewer' | 'remove'): Promise<void> {
    const shopper = this.#shopper(who)
    const was = shopper.seen.get(product) ?? 0
    const quantity = { add: Math.min(was + 1, 20), fewer: Math.max(was - 1, 0), remove: 0 }[press]
    if (quantity === was) return
    const form = { product, quantity, was }
    const response = await shopper.buyer.send('/cart', { method: 'POST', form })
    expect(response.status, 'a cart takes the change').toBe(303)
    // The page shows the cart as it is: it was changed elsewhere.
    if (response.headers.get('location')?.endsWith('#content')) return await this.look(who)
    const left = Math.max(0, (shopper.cart.get(product) ?? 0) + quantity - was)
    shopper.cart.set(product, left)
    shopper.takenOut += Math.max(0, was - quantity)
    shopper.seen = new Map([...shopper.seen, [product, quantity]])
  }

  async checkOut(who: number): Promise<void> {
    const shopper = this.#shopper(who)
    const taken = await this.#takenOrders(shopper)
    const orderId = await this.#placeOrder(shopper)
    expect(await this.#takenOrders(shopper), 'paid orders do not change').toEqual(taken)
    if (orderId) await this.open(who, orderId)
  }

  /** Two tabs check out at the same moment, while other pages and the shop itself ask and change. */
  async checkOutTwice(who: number): Promise<void> {
    const shopper = this.#shopper(who)
    const taken = await this.#takenOrders(shopper)
    const isExact = await this.#areInCart(shopper, [...taken.keys()])
    const [one, two] = await Promise.all([
      this.#placeOrder(shopper),
      this.#placeOrder(shopper),
      this.reconcile(),
      ...(this.hasTab(who) ? [this.watch(who, 0)] : []),
      // A paid piece that was taken out: whether it counts as put in again depends on which comes first.
      ...(isExact ? [this.change(who, 'thyme-tea', 'add')] : []),
    ])
    expect(await this.#takenOrders(shopper), 'paid orders do not change').toEqual(taken)
    for (const orderId of [one, two]) if (orderId) await this.open(who, orderId)
  }

  /** Opens the payment form of an order, as its page, Back and a reload do. */
  async open(who: number, orderId = this.#anOrder(who)): Promise<void> {
    const shopper = this.#shopper(who)
    const page = await shopper.buyer.send(`/pay/${orderId}`)
    // The shop shows the order or the cart instead.
    if (page.status === 303) return
    expect(page.status, 'an own order has a page').toBe(200)
    const body = { orderId }
    const response = await shopper.buyer.send('/checkout/handoff', { method: 'POST', body })
    if (!response.ok) {
      expect([404, 409, 429], await response.clone().text()).toContain(response.status)
      return
    }
    const { id } = (await response.json()) as { id: string }
    await this.#checkForm(shopper, orderId, id)
    shopper.tabs.push({ orderId, intent: id, takenOut: shopper.takenOut })
  }

  /** Acts on a form, counted from the newest, or lets the bank decide on it. */
  async pay(who: number, nth: number, outcome: Outcome): Promise<void> {
    const shopper = this.#shopper(who)
    const tab = this.#aTab(who, nth)
    const payment = shopper.payments.get(tab.intent)
    if (!payment) throw new Error('a form without a payment')
    const order = await shopper.buyer.order(tab.orderId)
    const free = await this.#freePieces(shopper, tab.orderId)
    const status = await this.#payments.settle(tab.intent, outcome)
    if (status === undefined) return
    payment.status = status
    if (status !== 'succeeded' || order.state === 'paid' || !fits(payment, order)) return
    if (tab.takenOut === shopper.takenOut) {
      expect(within(order, free), `pays for pieces beyond the cart: ${payment.lines}`).toBe(true)
    }
  }

  /** What the page asks after its form has finished, and what the order's page asks when it opens. */
  async watch(who: number, nth: number): Promise<void> {
    const { buyer } = this.#shopper(who)
    const { orderId } = this.#aTab(who, nth)
    await Promise.all([
      buyer.send(`/checkout/status?orderId=${orderId}`),
      buyer.submit(`/orders/${orderId}/settle`),
    ])
  }

  closeTab(who: number, nth: number): void {
    const { tabs } = this.#shopper(who)
    tabs.splice(-1 - (nth % tabs.length), 1)
  }

  async chooseCurrency(who: number, currency: string): Promise<void> {
    await this.#shopper(who).buyer.submit('/preferences', { currency })
  }

  async reconcile(): Promise<void> {
    await this.#shop.settle()
  }

  async restartShop(): Promise<void> {
    const { port } = new URL(this.#shop.url)
    await this.#shop.close()
    this.#shop = await openShop({
      ...places(this.#payments, this.#folder),
      port: Number(port),
    })
    // Sockets of the old shop that the buyers have kept fail once.
    await expect
      .poll(() =>
        fetch(this.#shop.url).then(
          ({ ok }) => ok,
          () => false,
        ),
      )
      .toBe(true)
  }

  /** The service is killed while a buyer checks out, and starts again. */
  async outage(who: number): Promise<void> {
    await this.#payments.kill()
    await this.#placeOrder(this.#shopper(who))
    await this.#payments.start()
    await this.restartShop()
  }

  /** Compares the cart of one buyer, or of each, with what they put in, took out and paid for. */
  async check(who?: number): Promise<void> {
    for (const shopper of who === undefined ? this.#shoppers : [this.#shopper(who)]) {
      const orders = await shopper.buyer.orders()
      for (const { id, state } of orders) {
        shopper.orders.add(id)
        if (state !== 'paid' || shopper.paid.has(id)) continue
        shopper.paid.add(id)
        for (const [product, bought] of piecesOf((await shopper.buyer.order(id)).lines)) {
          shopper.cart.set(product, Math.max(0, (shopper.cart.get(product) ?? 0) - bought))
        }
      }
      const shown = piecesOf((await shopper.buyer.cart()).lines)
      const wanted = new Map([...shopper.cart].filter(([, quantity]) => quantity > 0))
      expect(text(shown), 'the cart holds what was put in and not paid').toBe(text(wanted))
    }
  }

  /** Lets the bank decide on what is left, and looks for each payment on its buyer's pages. */
  async finish(): Promise<void> {
    await this.reconcile()
    await this.#checkShown()
    for (const { payments } of this.#shoppers) {
      for (const [id, payment] of payments) {
        if (payment.status !== 'processing') continue
        payment.status = (await this.#payments.settle(id, 'succeeded')) ?? payment.status
      }
    }
    await this.reconcile()
    await this.check()
    await this.#checkShown()
  }

  async close(): Promise<void> {
    await this.#shop.close()
  }

  /** Orders that the service has a payment for, whether the shop has noticed it or not. */
  async #takenOrders(shopper: Shopper): Promise<ReadonlyMap<string, string>> {
    const taken = new Map<string, string>()
    for (const orderId of shopper.orders) {
      const order = await shopper.buyer.order(orderId)
      const isOrderTaken = [...shopper.payments.values()].some(
        (payment) => payment.orderId === orderId && isTaken(payment.status) && fits(payment, order),
      )
      if (isOrderTaken) taken.set(orderId, linesText(order))
    }
    return taken
  }

  async #areInCart({ buyer, cart }: Shopper, orders: readonly string[]): Promise<boolean> {
    for (const orderId of orders) {
      const order = await buyer.order(orderId)
      if (order.state !== 'paid' && !within(order, cart)) return false
    }
    return true
  }

  /** @returns The order that "Check out" leads to, if there is one. */
  async #placeOrder(shopper: Shopper): Promise<string | undefined> {
    const response = await shopper.buyer.send('/orders', { method: 'POST', form: {} })
    const [, orderId] = /^\/pay\/(.+)$/.exec(response.headers.get('location') ?? '') ?? []
    if (!orderId) {
      expect([303, 503], await response.text()).toContain(response.status)
      return undefined
    }
    shopper.orders.add(orderId)
    return orderId
  }

  /** A form must ask for pieces that are in the cart and that no other payment has. */
  async #checkForm(shopper: Shopper, orderId: string, id: string): Promise<void> {
    const intent = await this.#shop.intents.retrieve(id)
    const amount = isCurrency(intent.currency)
      ? formatMoney(intent.amount, intent.currency, 'en')
      : ''
    const lines = String(intent.metadata?.lines)
    const { status } = intent
    shopper.payments.set(id, { orderId, lines, amount, status })
    await this.check(this.#shoppers.indexOf(shopper))
    const order = await shopper.buyer.order(orderId)
    if (status !== 'requires_payment_method' && status !== 'requires_action') return
    expect({ lines, amount }, 'the form asks for the order').toEqual({
      lines: linesText(order),
      amount: order.amount,
    })
    const taken = [...shopper.payments].some(
      ([other, payment]) =>
        other !== id &&
        payment.orderId === orderId &&
        fits(payment, order) &&
        isTaken(payment.status),
    )
    expect(taken || order.state === 'paid', `a paid order is payable again: ${lines}`).toBe(false)
    const free = await this.#freePieces(shopper, orderId)
    const message = `a form opens for pieces beyond the cart: ${lines}`
    expect(within(order, free), message).toBe(true)
  }

  /** The cart, without what other orders' payments have taken and the shop has not noticed yet. */
  async #freePieces(shopper: Shopper, except: string): Promise<ReadonlyMap<string, number>> {
    const free = new Map(shopper.cart)
    for (const payment of shopper.payments.values()) {
      if (payment.orderId === except || !isTaken(payment.status)) continue
      const order = await shopper.buyer.order(payment.orderId)
      if (order.state === 'paid' || !fits(payment, order)) continue
      for (const [product, bought] of piecesOf(order.lines)) {
        free.set(product, Math.max(0, (free.get(product) ?? 0) - bought))
      }
    }
    return free
  }

  /** Each payment is on its buyer's order page, and on no other buyer's. */
  async #checkShown(): Promise<void> {
    for (const shopper of this.#shoppers) {
      for (const orderId of shopper.orders) {
        const order = await shopper.buyer.order(orderId)
        const payments = [...shopper.payments.values()].filter((it) => it.orderId === orderId)
        const paid = payments.filter(({ status }) => status === 'succeeded')
        const shown = [...(order.state === 'paid' ? [order.amount] : []), ...order.earlierPayments]
        const message = `payments of order ${orderId} as its page shows them`
        expect(shown.sort(), message).toEqual(paid.map(({ amount }) => amount).sort())
        if (order.state !== 'paid' && payments.some(({ status }) => status === 'processing')) {
          expect(order.state, 'the page shows that the bank is processing').toBe('processing')
        }
        for (const other of this.#shoppers) {
          if (other === shopper) continue
          expect((await other.buyer.send(`/orders/${orderId}`)).status).toBe(404)
        }
      }
    }
  }

  #shopper(who: number): Shopper {
    const shopper = this.#shoppers[who]
    if (!shopper) throw new Error(`there is no buyer ${who}`)
    return shopper
  }

  #anOrder(who: number): string {
    return [...this.#shopper(who).orders].at(-1) ?? ''
  }

  #aTab(who: number, nth: number): Tab {
    const { tabs } = this.#shopper(who)
    const tab = tabs.at(-1 - (nth % tabs.length))
    if (!tab) throw new Error('no form is open')
    return tab
  }
}

function places({ baseUrl, apiKey }: Payments, folder: string): Parameters<typeof openShop>[0] {
  return { baseUrl, apiKey, folder, shopOrigin: 'http://localhost:3000' }
}

function isTaken(status: string): boolean {
  return status === 'succeeded' || status === 'processing'
}

function fits({ lines, amount }: Payment, order: ShownOrder): boolean {
  return lines === linesText(order) && amount === order.amount
}

function within({ lines }: ShownOrder, free: ReadonlyMap<string, number>): boolean {
  return lines.every(({ product, quantity }) => quantity <= (free.get(product) ?? 0))
}

function linesText({ lines }: ShownOrder): string {
  return text(piecesOf(lines)).replaceAll(', ', ' ')
}

function piecesOf(
  lines: readonly { readonly product: string; readonly quantity: number }[],
): Map<string, number> {
  return new Map(lines.map(({ product, quantity }) => [product, quantity]))
}

function text(pieces: ReadonlyMap<string, number>): string {
  return [...pieces]
    .map(([product, quantity]) => `${product}×${quantity}`)
    .sort()
    .join(', ')
}
