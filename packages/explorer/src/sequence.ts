/** One sequence: a shop, an environment, and buyers. Plays what they do, and logs what happens. Judges nothing. @module */
import { rmSync } from 'node:fs'
import { mkdir, mkdtemp } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { SandboxEnvironment } from '@pi-checkout/service/testing'
import type { Adapter, ShopRoutes } from './adapter.ts'
import { Browser } from './browser.ts'
import { SetupError, TimeOver } from './errors.ts'
import type { Event, Intent, Log } from './events.ts'
import type { ServiceAddress } from './exploration.ts'
import type { Forgery } from './forgery.ts'
import { type Payment, payOnHostedPage } from './hosted-page.ts'
import { type Handoff, Ledger } from './ledger.ts'
import type { Shop } from './shop.ts'
import { ShopClock } from './shop-clock.ts'

const minute = 60_000

/** Milliseconds after which a shop is killed during a request, by whether its fulfilments can be seen. */
const longestHook = { seen: 2000, unseen: 80 }

export interface SequenceOptions {
  /** The instances. The pages have the origin of the first. */
  readonly shops: readonly Shop[]
  readonly service: ServiceAddress
  readonly adapter: Adapter
  /** When the search ends: a value of `performance.now()`. */
  readonly endsAt: number
}

export class Sequence {
  readonly adapter: Adapter
  readonly environment: SandboxEnvironment
  readonly log: Log
  /** What the log has shown so far. */
  readonly ledger = new Ledger()
  readonly #events: Event[] = []
  readonly #options: SequenceOptions
  readonly #origin: string
  readonly #routes: Required<ShopRoutes>
  readonly #browsers: ReadonlyMap<string, Browser>
  readonly #folder: string
  readonly #clock: ShopClock
  #turn = 0

  private constructor(options: SequenceOptions, environment: SandboxEnvironment, folder: string) {
    const { shops, adapter, endsAt } = options
    const routes = { page: '/', handoff: '/checkout/handoff', status: '/checkout/status' }
    this.#routes = { ...routes, ...adapter.routes }
    this.adapter = adapter
    this.environment = environment
    const { apiKey } = environment
    this.log = { apiKey, handoffPath: this.#routes.handoff, events: this.#events }
    this.#options = options
    this.#origin = shops[0]?.url ?? ''
    this.#folder = folder
    this.#clock = new ShopClock(join(folder, 'clock'))
    process.once('exit', this.#removeFolder)
    const shared = {
      origin: this.#origin,
      address: () => this.#nextShop()?.url ?? this.#origin,
      endsAt,
      onResponse: (response: Event) => this.add(response),
    }
    const names = ['A', 'B', 'C', 'D'].slice(0, adapter.buyers ?? 2)
    this.#browsers = new Map(names.map((name) => [name, new Browser({ ...shared, name })]))
  }

  /** Creates an environment, and starts the shop with its key. */
  static async begin(options: SequenceOptions): Promise<Sequence> {
    const { shops, service, adapter } = options
    const [{ url: origin } = { url: '' }] = shops
    const environment = await SandboxEnvironment.create(service, [origin])
    const folder = await mkdtemp(join(tmpdir(), 'pi-explore-'))
    const sequence = new Sequence(options, environment, folder)
    const data = join(folder, 'data')
    try {
      await mkdir(data)
      const start = async (shop: Shop): Promise<void> =>
        await shop.start({
          ...process.env,
          ...sequence.#clock.variables,
          PORT: new URL(shop.url).port,
          ...adapter.env?.({ folder: data, origin }),
          PI_BASE_URL: service.baseUrl,
          PI_CHECKOUT_ORIGIN: service.checkoutOrigin,
          PI_API_KEY: environment.apiKey,
        })
      await Promise.all(shops.map(start))
    } catch (error) {
      await sequence.end()
      throw error
    }
    return sequence
  }

  async end(): Promise<void> {
    await Promise.all(this.#options.shops.map((shop) => shop.stop()))
    await this.environment.delete()
    process.off('exit', this.#removeFolder)
    this.#removeFolder()
  }

  readonly #removeFolder = (): void => rmSync(this.#folder, { recursive: true, force: true })

  get buyers(): readonly string[] {
    return [...this.#browsers.keys()]
  }

  /** What the instances have printed. */
  get lines(): readonly string[] {
    return this.#options.shops.flatMap(({ lines }) => lines)
  }

  add(event: Event): void {
    this.#events.push(event)
    this.ledger.add(event)
  }

  /** Lets minutes pass at the shop. */
  wait(minutes: number): void {
    this.#clock.advance(minutes * minute)
  }

  /** @throws {TimeOver} If the search has to end. */
  checkTime(): void {
    if (performance.now() > this.#options.endsAt) throw new TimeOver()
  }

  /** Logs it if a process of the shop has exited. Returns whether it has. */
  hasExited(): boolean {
    const shop = this.#options.shops.find(({ hasExited }) => hasExited)
    if (!shop) return false
    const reason = `The process ended by itself. Its last lines:\n${shop.lines.slice(-8).join('\n')}`
    this.add({ type: 'exited', reason })
    return true
  }

  async intents(): Promise<readonly Intent[]> {
    const intents = await this.environment.intents()
    return intents.map(({ id, orderId, amount, currency, status }) => ({
      ...{ id, orderId, amount, currency, status },
    }))
  }

  /** Lets a buyer forge the amounts in each request that the adapter makes. The shop may reject them. */
  async forge(buyer: string, forgery: Forgery, act: () => Promise<unknown>): Promise<void> {
    const browser = this.#browser(buyer)
    browser.forgery = forgery
    try {
      await act()
    } catch (error) {
      if (error instanceof TimeOver) throw error
    } finally {
      browser.forgery = undefined
    }
  }

  /** Opens the page, in a tab. */
  async open(buyer: string): Promise<void> {
    const browser = this.#browser(buyer)
    const { purchase } = this.ledger.buyer(buyer)
    // A page that is loaded again asks whether its payment has ended.
    if (this.ledger.newest(buyer)?.purchase === purchase) await this.poll(buyer)
    const { orderId: known } = this.ledger.buyer(buyer)
    const order = await this.adapter.begin?.(browser)
    const isOther = order?.orderId !== undefined && order.orderId !== known
    if (known !== undefined && isOther) await this.readRecord(buyer, known)
    if (order) this.add({ type: 'order', buyer, order, isEdited: false })
    await this.visit(buyer)
    this.add({ type: 'page-opened', buyer })
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
  }

  /** Requests the handoff, as the page does. */
  async handoff(buyer: string, orderId = this.ledger.buyer(buyer).orderId): Promise<void> {
    const before = await this.intents()
    const body = JSON.stringify(orderId === undefined ? {} : { orderId })
    const response = await this.#browser(buyer).fetch(this.#routes.handoff, { body })
    const given = response.ok ? await jsonOf<{ id: string; clientSecret: string }>(response) : {}
    const { id, clientSecret } = given
    if (typeof id === 'string' && typeof clientSecret === 'string') {
      const intent = await this.environment.intent(id)
      this.add({ type: 'handoff', buyer, intent, clientSecret, before })
    } else this.add({ type: 'no-handoff', buyer, status: response.status })
  }

  /** Pays on the hosted page. Returns the status, or `undefined` if the service rejected it. */
  async pay(handoff: Handoff, payment: Payment): Promise<string | undefined> {
    const { checkoutOrigin } = this.#options.service
    return await payOnHostedPage(handoff, payment, { checkoutOrigin, origin: this.#origin })
  }

  /** Requests the phase, as the page does. */
  async poll(buyer: string, query: Readonly<Record<string, string>> = {}): Promise<void> {
    const { orderId = this.ledger.buyer(buyer).orderId } = query
    const response = await this.#requestStatus(buyer, query)
    const { phase } = await jsonOf<{ phase: unknown }>(response)
    const status = { buyer, orderId, phase: String(phase), intents: await this.intents() }
    this.add({ type: 'status', ...status })
    const isOwn = orderId === this.ledger.buyer(buyer).orderId
    if (phase === 'processing' && isOwn) await this.readNewestRecord(buyer)
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

  /** Reads what the shop has stored about an order, as far as the adapter can. */
  async readRecord(buyer: string, orderId: string): Promise<void> {
    const { state, reviews, fulfilments } = this.adapter
    if (!state && !reviews && !fulfilments) return
    const { reader } = this.#browser(buyer)
    // A shop that has lost the order has no state of it, no reviews, and no fulfilments.
    const record = {
      state: state && ((await state(reader, orderId)) ?? 'missing'),
      reviews: reviews && ((await reviews(reader, orderId)) ?? []),
      fulfilments: fulfilments && ((await fulfilments(reader, orderId)) ?? 0),
    }
    this.add({ type: 'record', buyer, orderId, ...record, intents: await this.intents() })
  }

  /** Reads what the shop has stored about the newest order of a buyer. */
  async readNewestRecord(buyer: string): Promise<void> {
    const { orderId } = this.ledger.newest(buyer) ?? {}
    if (orderId !== undefined) await this.readRecord(buyer, orderId)
  }

  /** Requests the handoff, and disconnects before the response. */
  async leave(buyer: string, isHalf: boolean): Promise<void> {
    const { orderId } = this.ledger.buyer(buyer)
    await this.#browser(buyer).leave(this.#routes.handoff, JSON.stringify({ orderId }), isHalf)
    await sleep(30)
  }

  /** Kills an instance, and starts it again. */
  async restart(): Promise<void> {
    await this.#restart(this.#nextShop())
  }

  /** Kills an instance while it responds to a status request: as soon as it has fulfilled the order, or after a moment. */
  async crash(buyer: string): Promise<void> {
    const { shops } = this.#options
    const shop = shops[this.#turn % shops.length]
    let hasResponse = false
    const request = this.#requestStatus(buyer).finally(() => {
      hasResponse = true
    })
    // It may reject before it is awaited.
    request.catch(() => {})
    const until = performance.now() + longestHook[this.adapter.fulfilments ? 'seen' : 'unseen']
    while (!hasResponse && performance.now() < until && !(await this.#isFulfilled(buyer))) {
      await sleep(5)
    }
    await this.#restart(shop)
    await request
  }

  async #isFulfilled(buyer: string): Promise<boolean> {
    const { orderId } = this.ledger.newest(buyer) ?? {}
    const { fulfilments } = this.adapter
    if (!fulfilments || orderId === undefined) return false
    return (await fulfilments(this.#browser(buyer).reader, orderId)) > 0
  }

  async #restart(shop: Shop | undefined): Promise<void> {
    this.add({ type: 'killed' })
    try {
      await shop?.restart()
    } catch (error) {
      if (!(error instanceof SetupError)) throw error
      this.add({ type: 'exited', reason: `After it was killed: ${error.message}` })
    }
  }

  #nextShop(): Shop | undefined {
    const { shops } = this.#options
    return shops[this.#turn++ % shops.length]
  }

  #browser(buyer: string): Browser {
    const browser = this.#browsers.get(buyer)
    if (!browser) throw new TypeError(`There is no buyer ${buyer}. Raise adapter.buyers.`)
    return browser
  }
}

async function jsonOf<Body>(response: Response): Promise<Partial<Body>> {
  const body: unknown = await response
    .clone()
    .json()
    .catch(() => undefined)
  return typeof body === 'object' && body !== null ? body : {}
}
