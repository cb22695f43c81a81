/** One sequence: a shop, an environment, and buyers. Plays what they do, and logs what happens. Judges nothing. @module */
import { setTimeout as sleep } from 'node:timers/promises'
import { type TestCardName, testCards } from '@pi-checkout/contract/sandbox'
import type { SandboxEnvironment } from '@pi-checkout/service/testing'
import { HostedPage } from '@pi-checkout/test-support/http-buyer'
import type { Adapter, ShopRoutes } from './adapter.ts'
import { Browser } from './browser.ts'
import type { Event } from './events.ts'
import type { Forgery } from './forgery.ts'
import { type Handoff, Ledger } from './ledger.ts'
import type { Shop } from './shop.ts'

/** Names of the buyers. */
export const buyers = ['A', 'B'] as const

/** Milliseconds after which a shop is killed during a request, by whether its fulfilments can be seen. */
const longestHook = { seen: 2000, unseen: 80 }

/** What a buyer does on the hosted page: pays with a test card, or presses Cancel. */
export type Payment = TestCardName | 'canceled'

interface SequenceOptions {
  readonly adapter: Adapter
  readonly environment: SandboxEnvironment
  readonly shop: Shop
  readonly checkoutOrigin: string
}

export class Sequence {
  readonly adapter: Adapter
  readonly environment: SandboxEnvironment
  readonly shop: Shop
  readonly events: Event[] = []
  /** What the events have shown so far. */
  readonly ledger = new Ledger()
  readonly #checkoutOrigin: string
  readonly #routes: Required<ShopRoutes>
  readonly #browsers = new Map<string, Browser>()

  constructor({ adapter, environment, shop, checkoutOrigin }: SequenceOptions) {
    const routes = { page: '/', handoff: '/checkout/handoff', status: '/checkout/status' }
    this.#routes = { ...routes, ...adapter.routes }
    this.#checkoutOrigin = checkoutOrigin
    this.adapter = adapter
    this.environment = environment
    this.shop = shop
  }

  add(event: Event): void {
    this.events.push(event)
    this.ledger.add(event)
  }

  /** Logs the intents. */
  async look(): Promise<void> {
    const intents = await this.environment.intents()
    this.add({ type: 'intents', intents })
  }

  /** Lets a buyer forge the amounts in each request that the adapter makes. The shop may reject them. */
  async forge(buyer: string, forgery: Forgery, act: () => Promise<unknown>): Promise<void> {
    const browser = this.#browser(buyer)
    browser.forgery = forgery
    try {
      await act()
    } catch {
      // It has rejected one of the requests.
    } finally {
      browser.forgery = undefined
    }
  }

  /** Opens the page, in a tab. */
  async open(buyer: string): Promise<void> {
    const order = await this.adapter.begin?.(this.#browser(buyer))
    this.add({ type: 'order', buyer, order: order ?? {}, isEdited: false })
    await this.visit(buyer)
  }

  /** Opens the page if the buyer has none. */
  async openFirst(buyer: string): Promise<void> {
    if (!this.ledger.buyer(buyer).isOnPage) await this.open(buyer)
  }

  /** Returns a payment that the buyer's page holds, after a handoff if there is none. */
  async held(buyer: string, tab = 0): Promise<Handoff | undefined> {
    await this.openFirst(buyer)
    if (!this.ledger.newest(buyer)) await this.handoff(buyer)
    const held = this.ledger.held(buyer)
    return held[tab % held.length]
  }

  /** Opens the page, and pays what its handoff gives. Returns it. */
  async buy(buyer: string): Promise<Handoff | undefined> {
    await this.open(buyer)
    await this.handoff(buyer)
    const newest = this.ledger.newest(buyer)
    if (newest) await this.pay(newest, 'visa')
    return newest
  }

  /** Requests the page. */
  async visit(buyer: string): Promise<void> {
    await this.#browser(buyer).fetch(this.#routes.page)
  }

  async edit(buyer: string): Promise<void> {
    const order = await this.adapter.edit?.(this.#browser(buyer))
    if (order) this.add({ type: 'order', buyer, order, isEdited: true })
  }

  async finish(buyer: string, payment: Pick<Handoff, 'id' | 'orderId'>): Promise<void> {
    const { id, orderId } = payment
    await this.adapter.finish?.(this.#browser(buyer), { id, orderId })
    await this.readRecord(buyer)
  }

  /** Requests the handoff, as the page does. */
  async handoff(buyer: string, orderId = this.ledger.buyer(buyer).orderId): Promise<void> {
    await this.look()
    const body = JSON.stringify(orderId === undefined ? {} : { orderId })
    const response = await this.#browser(buyer).fetch(this.#routes.handoff, { body })
    const { ok, status } = response
    const { id, clientSecret } = ok ? await jsonOf<Handoff>(response) : {}
    const isGiven = typeof id === 'string' && typeof clientSecret === 'string'
    const given = isGiven ? { ...(await this.environment.intent(id)), clientSecret } : undefined
    this.add({ type: 'handoff', buyer, status, given })
  }

  /** Opens the hosted page, and pays, or cancels. The service may reject it. */
  async pay({ id, clientSecret }: Handoff, payment: Payment): Promise<void> {
    const page = new HostedPage({ url: this.#checkoutOrigin, shopOrigin: this.shop.origin })
    try {
      await page.open({ id, clientSecret })
    } catch {
      return
    }
    if (payment === 'canceled') await page.post('cancel', {})
    else await page.pay(testCards[payment])
  }

  /** Requests the phase, as the page does. */
  async poll(buyer: string, query: Readonly<Record<string, string>> = {}): Promise<void> {
    const current = this.ledger.current(buyer)
    const { orderId = current } = query
    const response = await this.#requestStatus(buyer, query)
    const { phase } = await jsonOf<{ phase: unknown }>(response)
    await this.look()
    this.add({ type: 'status', buyer, orderId, phase: String(phase) })
    if (phase === 'processing' && orderId === current) await this.readRecord(buyer)
  }

  async #requestStatus(
    buyer: string,
    query: Readonly<Record<string, string>> = {},
  ): Promise<Response> {
    const { status } = this.#routes
    const { orderId = this.ledger.buyer(buyer).orderId, ...others } = query
    const search = String(new URLSearchParams({ ...(orderId && { orderId }), ...others }))
    return await this.#browser(buyer).fetch(search ? `${status}?${search}` : status)
  }

  /** Reads what the shop has stored about an order, by default the buyer's newest one, if the adapter can. */
  async readRecord(buyer: string, orderId = this.ledger.newest(buyer)?.orderId): Promise<void> {
    if (orderId === undefined || !this.adapter.record) return
    const record = await this.adapter.record(this.#browser(buyer), orderId)
    await this.look()
    this.add({ type: 'record', orderId, record: { state: 'missing', ...record } })
  }

  /** Requests the handoff, and disconnects before the response. */
  async leave(buyer: string, isHalf: boolean): Promise<void> {
    const { orderId } = this.ledger.buyer(buyer)
    await this.#browser(buyer).leave(this.#routes.handoff, JSON.stringify({ orderId }), isHalf)
    await sleep(30)
  }

  /** Kills the shop while it responds to a status request: as soon as it has fulfilled the order, or after a moment. */
  async crash(buyer: string): Promise<void> {
    const isSeen = (await this.#fulfilments(buyer)) !== undefined
    let hasResponse = false
    const request = this.#requestStatus(buyer).finally(() => {
      hasResponse = true
    })
    // It may reject before it is awaited.
    request.catch(() => {})
    const until = performance.now() + longestHook[isSeen ? 'seen' : 'unseen']
    while (!hasResponse && performance.now() < until) {
      if (isSeen && (await this.#fulfilments(buyer))) break
      await sleep(5)
    }
    await this.shop.restart()
    await request
  }

  /** Returns how often the shop has fulfilled the buyer's newest order, if its record says so. */
  async #fulfilments(buyer: string): Promise<number | undefined> {
    const { orderId } = this.ledger.newest(buyer) ?? {}
    if (orderId === undefined) return undefined
    const record = await this.adapter.record?.(this.#browser(buyer), orderId)
    return record?.fulfilments
  }

  #browser(name: string): Browser {
    const known = this.#browsers.get(name)
    if (known) return known
    const browser = new Browser({
      name,
      origin: this.shop.origin,
      onResponse: (response) => {
        const isHandoff = response.path.split('?')[0] === this.#routes.handoff
        this.add({ type: 'response', isHandoff, ...response })
      },
    })
    this.#browsers.set(name, browser)
    return browser
  }
}

async function jsonOf<Body>(response: Response): Promise<Partial<Body>> {
  const body: unknown = await response.json().catch(() => undefined)
  return typeof body === 'object' && body !== null ? body : {}
}
