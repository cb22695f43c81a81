/** One sequence of actions: a shop, an environment, and buyers; what they hold, and what the shop has said. @module */
import { rmSync } from 'node:fs'
import { mkdir, mkdtemp } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { isDeepStrictEqual } from 'node:util'
import type { PaymentIntent } from '@pi-checkout/contract/payment-intent'
import { SandboxEnvironment } from '@pi-checkout/service/testing'
import type { Adapter, PlacedOrder, ShopRoutes } from './adapter.ts'
import { Buyer } from './buyer.ts'
import type { RecordedRequest, ServiceAddress } from './exploration.ts'
import { type Forgery, forgedAmount } from './forgery.ts'
import { type Card, type FullPageForm, type Handoff, HostedPage } from './hosted-page.ts'
import { Secrets } from './secrets.ts'
import type { Shop } from './shop.ts'
import { ShopClock } from './shop-clock.ts'
import { SetupError, TimeOver, Violation } from './violation.ts'

/** A handoff that a buyer's page holds. */
export interface Pair extends Handoff {
  /** Leads to the full page in place of the frame. */
  readonly form: FullPageForm | undefined
  readonly buyer: Buyer
  readonly purchase: number
  readonly orderId: string
  /** In minor units. */
  readonly amount: number
  readonly currency: string
  /** Number of edits of the order before the handoff. */
  readonly version: number
}

/** An order, as far as handoffs and edits have shown it. */
interface KnownOrder {
  /** Number of edits. */
  readonly version: number
  readonly amount: number | undefined
  /** As the adapter has named it. */
  readonly placed: Pick<PlacedOrder, 'amount' | 'currency'>
}

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
  readonly shops: readonly Shop[]
  readonly origin: string
  readonly adapter: Adapter
  readonly routes: Required<ShopRoutes>
  readonly buyers: readonly Buyer[]
  readonly environment: SandboxEnvironment
  /** What each buyer's pages hold now. */
  held: Pair[] = []
  /** Every handoff of this sequence. */
  readonly pairs: Pair[] = []
  readonly requests: RecordedRequest[] = []
  readonly #service: ServiceAddress
  readonly #folder: string
  readonly #endsAt: number
  readonly #clock: ShopClock
  #turn = 0
  #wasKilled = false
  #wasPaid = false
  readonly #orders = new Map<string, KnownOrder>()
  readonly #secrets: Secrets

  private constructor(
    { shops, service, adapter, endsAt }: SequenceOptions,
    { environment, folder }: { readonly environment: SandboxEnvironment; readonly folder: string },
  ) {
    this.shops = shops
    this.origin = shops[0]?.url ?? ''
    this.#endsAt = endsAt
    this.adapter = adapter
    const { page = '/', handoff = '/checkout/handoff' } = adapter.routes ?? {}
    const { start = '', status = '/checkout/status' } = adapter.routes ?? {}
    this.routes = { page, handoff, start, status }
    this.environment = environment
    this.#service = service
    this.#folder = folder
    this.#clock = new ShopClock(join(folder, 'clock'))
    process.once('exit', this.#removeFolder)
    this.#secrets = new Secrets(environment.apiKey, [handoff, start])
    const names = ['A', 'B', 'C', 'D'].slice(0, adapter.buyers ?? 2)
    this.buyers = names.map(
      (name) =>
        new Buyer({
          name,
          origin: this.origin,
          address: this.#nextAddress,
          endsAt,
          onResponse: (request, received) => {
            this.#record(request)
            this.#secrets.checkResponse(request, received)
          },
        }),
    )
  }

  /** Creates an environment, and starts the shop with its key. */
  static async begin(options: SequenceOptions): Promise<Sequence> {
    const { shops, service, adapter } = options
    const [{ url: origin } = { url: '' }] = shops
    const environment = await SandboxEnvironment.create(service, [origin])
    const folder = await mkdtemp(join(tmpdir(), 'pi-explore-'))
    const sequence = new Sequence(options, { environment, folder })
    const data = join(folder, 'data')
    try {
      await mkdir(data)
      const variables = { ...process.env, ...sequence.#clock.variables }
      const address = { PI_BASE_URL: service.baseUrl, PI_CHECKOUT_ORIGIN: service.checkoutOrigin }
      await Promise.all(
        shops.map(async (shop) => {
          await shop.start({
            ...variables,
            PORT: new URL(shop.url).port,
            ...adapter.env?.({ folder: data, origin }),
            ...address,
            PI_API_KEY: environment.apiKey,
          })
        }),
      )
    } catch (error) {
      await sequence.end()
      throw error
    }
    return sequence
  }

  async end(): Promise<void> {
    await Promise.all(this.shops.map((shop) => shop.stop('SIGKILL')))
    await this.environment.delete()
    process.off('exit', this.#removeFolder)
    this.#removeFolder()
  }

  readonly #removeFolder = (): void => rmSync(this.#folder, { recursive: true, force: true })

  /** Whether a process was killed. The hook of a payment that it ran is free again after a minute. */
  get wasKilled(): boolean {
    return this.#wasKilled
  }

  /** Lets minutes pass at the shop. */
  wait(minutes: number): void {
    this.#clock.advance(minutes * minute)
  }

  /** @throws {TimeOver} If the search has to end. */
  checkTime(): void {
    if (performance.now() > this.#endsAt) throw new TimeOver()
  }

  /** What the instances have printed. */
  get lines(): readonly string[] {
    return this.shops.flatMap(({ lines }) => lines)
  }

  readonly #nextAddress = (): string => this.#nextShop()?.url ?? this.origin

  #nextShop(): Shop | undefined {
    return this.shops[this.#turn++ % this.shops.length]
  }

  /** Lets a buyer forge the amounts in each request that the adapter makes. The shop may reject them. */
  async forge(buyer: Buyer, forgery: Forgery, act: () => Promise<unknown>): Promise<void> {
    buyer.forgery = forgery
    try {
      await act()
    } catch (error) {
      if (error instanceof Violation) throw error
    } finally {
      buyer.forgery = undefined
    }
  }

  /** Opens the page, in a tab. */
  async open(buyer: Buyer): Promise<void> {
    // A page that is loaded again asks whether its payment has ended.
    const isAgain = this.pairs.some(
      (pair) => pair.buyer === buyer && pair.purchase === buyer.purchase,
    )
    if (isAgain) await this.poll(buyer)
    const { orderId, purchase } = buyer
    this.#place(buyer, await this.adapter.begin?.(buyer))
    // A killed shop may have stored that the order is paid before the status says so.
    if (orderId !== undefined && orderId !== buyer.orderId && buyer.purchase === purchase) {
      const seen = await this.unrecorded(async () => await this.adapter.state?.(buyer, orderId))
      if (seen === 'paid') buyer.purchase++
    }
    await buyer.fetch(this.routes.page)
    buyer.isOnPage = true
  }

  /** Requests the handoff, as the page does. */
  async handoff(buyer: Buyer, extra: object = {}): Promise<Response> {
    const { orderId = buyer.orderId, ...others } = extra as { orderId?: string }
    const { purchase } = buyer
    const before = await this.#busy()
    const response = await buyer.fetch(this.routes.handoff, {
      body: JSON.stringify({ ...(orderId !== undefined && { orderId }), ...others }),
    })
    if (!response.ok) return response
    const given = (await response
      .clone()
      .json()
      .catch(() => ({}))) as Partial<Handoff>
    if (typeof given.id === 'string' && typeof given.clientSecret === 'string') {
      const { id, clientSecret } = given
      await this.#hold({ id, clientSecret, buyer, purchase, form: undefined }, before)
    }
    return response
  }

  /** Requests the page that leads to the full page, as a form of the shop does. */
  async start(buyer: Buyer): Promise<void> {
    const { purchase, orderId } = buyer
    const before = await this.#busy()
    const body = new URLSearchParams(orderId === undefined ? {} : { orderId })
    const html = await (await buyer.fetch(this.routes.start, { body })).text()
    const [, action] = /<form method="post" action="([^"]+)"/.exec(html) ?? []
    if (!action?.includes('/checkout/')) return
    const inputs = html.matchAll(/name="(\w+)" value="([^"]*)"/g)
    const decode = (text = ''): string =>
      text.replace(/&#(\d+);/g, (_, code: string) => String.fromCharCode(Number(code)))
    const fields = new URLSearchParams()
    for (const [, name = '', value] of inputs) fields.set(name, decode(value))
    const id = new URL(action).pathname.split('/').at(-1) ?? ''
    const clientSecret = fields.get('clientSecret') ?? ''
    await this.#hold({ id, clientSecret, buyer, purchase, form: { action, fields } }, before)
  }

  /** Returns the intents that are paid, or on their way. */
  async #busy(): Promise<readonly PaymentIntent[]> {
    if (!this.#wasPaid) return []
    const intents = await this.environment.intents()
    return intents.filter(({ status }) => status === 'succeeded' || status === 'processing')
  }

  /** @throws {Violation} If another payment of the order was on its way, or paid, before the handoff. */
  #checkUnpaidBefore({ id, orderId }: Pair, before: readonly PaymentIntent[]): void {
    const other = before.find((intent) => intent.orderId === orderId && intent.id !== id)
    if (!other) return
    throw new Violation(
      'double_payment',
      `The handoff gave intent ${id} of order ${orderId}, although intent ${other.id} of it was ${other.status}. Retrieve every open intent of the order first.`,
    )
  }

  async #hold(
    given: Pick<Pair, 'id' | 'clientSecret' | 'buyer' | 'purchase' | 'form'>,
    before: readonly PaymentIntent[],
  ): Promise<void> {
    const { id, clientSecret, buyer } = given
    this.#secrets.add(clientSecret)
    // These never change.
    const known = this.pairs.find((pair) => pair.id === id)
    const { orderId, amount, currency } = known ?? (await this.environment.intent(id))
    const { version, placed } = this.order(orderId)
    const pair = { ...given, orderId, amount, currency, version }
    if (known && known.buyer !== buyer) {
      const detail = `The handoff gave intent ${id} to ${buyer.name}, and before to ${known.buyer.name}.`
      throw new Violation('session_mixed', `${detail} Find the order by the buyer's session.`)
    }
    if (amount === forgedAmount) {
      const detail = `A request with "amount": ${forgedAmount} led to intent ${id} of ${amount} ${currency}.`
      throw new Violation('price_from_browser', `${detail} Take the price from your own records.`)
    }
    const { amount: price = amount, currency: unit = currency } = placed
    if (price !== amount || unit !== currency) {
      const detail = `Intent ${id} of order ${orderId} is ${amount} ${currency}, and the order costs ${price} ${unit}.`
      throw new Violation('wrong_price', `${detail} Read amount and currency from your records.`)
    }
    this.pairs.push(pair)
    this.#orders.set(orderId, { version, amount, placed })
    if (!this.held.some((each) => each.id === id)) this.held.push(pair)
    this.#checkUnpaidBefore(pair, before)
  }

  /** Returns what handoffs and edits have shown of an order. */
  order(orderId: string): KnownOrder {
    return this.#orders.get(orderId) ?? { version: 0, amount: undefined, placed: {} }
  }

  /**
   * Opens the hosted page with a handoff, and pays, or cancels.
   *
   * @returns The status, or `undefined` if the service rejected it.
   */
  async pay(pair: Pair, card: Card | 'canceled'): Promise<string | undefined> {
    const { checkoutOrigin } = this.#service
    this.#wasPaid = true
    const page = pair.form
      ? await HostedPage.openFull(checkoutOrigin, pair.form, this.origin)
      : await HostedPage.open(checkoutOrigin, pair, this.origin)
    return card === 'canceled' ? await page?.cancel() : await page?.pay(card)
  }

  /** Requests the phase, as the page does. */
  async poll(buyer: Buyer, query: Readonly<Record<string, string>> = {}): Promise<string> {
    const { orderId = buyer.orderId } = query
    const { purchase } = buyer
    const response = await this.#requestStatus(buyer, query)
    const { phase } = (await response.json().catch(() => ({}))) as { phase?: unknown }
    const isOwn = query.orderId === undefined || query.orderId === buyer.orderId
    if (phase === 'paid' && isOwn) {
      await this.#checkPaid(buyer, orderId)
      if (buyer.purchase === purchase) buyer.purchase++
    } else if (phase === 'processing' && isOwn) await this.checkUnpaid(buyer)
    return String(phase)
  }

  async #requestStatus(
    buyer: Buyer,
    query: Readonly<Record<string, string>> = {},
  ): Promise<Response> {
    const { status } = this.routes
    const { orderId = buyer.orderId, ...others } = query
    const search = String(new URLSearchParams({ ...(orderId && { orderId }), ...others }))
    return await buyer.fetch(search ? `${status}?${search}` : status)
  }

  /** @throws {Violation} If the shop tells a buyer that the order of another buyer is paid. */
  async pollForeign(buyer: Buyer, { orderId, buyer: owner }: Pair): Promise<void> {
    const paid = await this.paidAmong(this.pairs.filter((pair) => pair.buyer === buyer))
    if (paid.length > 0 || (await this.poll(buyer, { orderId })) !== 'paid') return
    throw new Violation(
      'session_mixed',
      `The status of order ${orderId} of ${owner.name} is shown to ${buyer.name}. Find the order by the buyer's session.`,
    )
  }

  /** @throws {Violation} If the shop has stored as paid, or fulfilled, what the buyer has not paid. */
  async checkUnpaid(buyer: Buyer): Promise<void> {
    const { state, fulfilments } = this.adapter
    const { orderId } = this.newest(buyer) ?? {}
    if (orderId === undefined) return
    const [seen, count] = await this.unrecorded(async () => [
      await state?.(buyer, orderId),
      await fulfilments?.(buyer, orderId),
    ])
    if (seen !== 'paid' && !count) return
    const paid = await this.paidAmong(this.pairs)
    if (paid.some((pair) => pair.orderId === orderId)) return
    const proof = 'Only the status that your server retrieves is proof.'
    if (count) {
      const detail = `The shop fulfilled order ${orderId}, and no intent of it has succeeded.`
      throw new Violation('fulfilled_unpaid', `${detail} ${proof}`)
    }
    const detail = `The shop's record of order ${orderId} is "paid", and no intent of it has succeeded.`
    throw new Violation('false_paid', `${detail} ${proof}`)
  }

  /** @throws {Violation} If the buyer has not paid what the shop says is paid. */
  async #checkPaid(buyer: Buyer, orderId: string | undefined): Promise<void> {
    const pairs = this.pairs.filter(
      (pair) => pair.buyer === buyer && (orderId === undefined || pair.orderId === orderId),
    )
    const paid = await this.paidAmong(pairs)
    if (paid.length === 0) {
      const about = orderId === undefined ? `order of ${buyer.name}` : `order ${orderId}`
      throw new Violation(
        'false_paid',
        `The shop says that the ${about} is paid, and no intent that ${buyer.name} got has succeeded. Only the status that your server retrieves is proof.`,
      )
    }
    for (const pair of paid) this.checkAmount(pair.orderId, paid)
  }

  /** @throws {Violation} If an order that the shop calls paid has another amount than what was paid. */
  checkAmount(orderId: string, paid: readonly Pair[]): void {
    const { amount } = this.order(orderId)
    const own = paid.filter((pair) => pair.orderId === orderId)
    if (amount === undefined || own.some((pair) => pair.amount === amount)) return
    throw new Violation(
      'false_paid',
      `The shop says that order ${orderId} of ${amount} ${own[0]?.currency} is paid, and intent ${own[0]?.id} paid ${own[0]?.amount}. Compare amount and currency.`,
    )
  }

  async edit(buyer: Buyer): Promise<void> {
    this.#place(buyer, await this.adapter.edit?.(buyer), true)
  }

  /** Remembers the buyer's order. Another amount is another version of it. */
  #place(buyer: Buyer, order: PlacedOrder | undefined, isEdited = false): void {
    if (!order) return
    const { amount, orderId = buyer.orderId ?? this.newest(buyer)?.orderId } = order
    // An edit that leads to another order begins another purchase.
    if (isEdited && buyer.orderId !== undefined && orderId !== buyer.orderId) buyer.purchase++
    if (order.orderId !== undefined) buyer.orderId = orderId
    if (orderId === undefined) return
    const known = this.order(orderId)
    const isOther = isEdited || (amount ?? known.amount) !== (known.amount ?? amount)
    this.#orders.set(orderId, {
      version: known.version + Number(isOther),
      amount: amount ?? (isEdited ? undefined : known.amount),
      placed: isEdited ? order : { ...known.placed, ...order },
    })
  }

  /** Kills an instance, and starts it again. */
  async restart(): Promise<void> {
    await this.#restart(this.#nextShop())
  }

  /** Kills an instance while it responds to a status request: as soon as it has fulfilled the order, or after a moment. */
  async crash(buyer: Buyer): Promise<void> {
    const shop = this.shops[this.#turn % this.shops.length]
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

  async #isFulfilled(buyer: Buyer): Promise<boolean> {
    const { orderId } = this.newest(buyer) ?? {}
    const { fulfilments } = this.adapter
    if (!fulfilments || orderId === undefined) return false
    return (await this.unrecorded(async () => await fulfilments(buyer, orderId))) > 0
  }

  /** @throws {Violation} If the killed shop does not start again. */
  async #restart(shop: Shop | undefined): Promise<void> {
    this.#wasKilled = true
    try {
      await shop?.restart()
    } catch (error) {
      if (!(error instanceof SetupError)) throw error
      throw new Violation('shop_exited', `After it was killed: ${error.message}`)
    }
  }

  /** @throws {Violation} If the shop has printed a secret. */
  checkOutput(): void {
    this.#secrets.checkOutput(this.lines)
  }

  /** @throws {Violation} If the process of the shop has ended. */
  checkRunning(): void {
    const shop = this.shops.find(({ hasExited }) => hasExited)
    if (!shop) return
    const last = shop.lines.slice(-8).join('\n')
    throw new Violation('shop_exited', `The process ended by itself. Its last lines:\n${last}`)
  }

  /** Returns those of the pairs whose intents have succeeded, each intent once. */
  async paidAmong(pairs: readonly Pair[]): Promise<readonly Pair[]> {
    const intents = await this.environment.intents()
    const paid = new Set(intents.filter(({ status }) => status === 'succeeded').map(({ id }) => id))
    return pairs.filter(
      ({ id }, index) => paid.has(id) && pairs.findIndex((pair) => pair.id === id) === index,
    )
  }

  newest(buyer: Buyer): Pair | undefined {
    return this.pairs.findLast((pair) => pair.buyer === buyer)
  }

  /** Asks the adapter, whose requests are not the buyer's. */
  async unrecorded<T>(ask: () => Promise<T>): Promise<T> {
    const { length } = this.requests
    const response = await ask()
    this.requests.length = length
    return response
  }

  /** A request that repeats is one entry. */
  #record(request: Omit<RecordedRequest, 'times'>): void {
    const { times = 0 } = this.requests.at(-1) ?? {}
    const isSame = isDeepStrictEqual(this.requests.at(-1), { ...request, times })
    if (isSame) this.requests.pop()
    this.requests.push({ ...request, times: isSame ? times + 1 : 1 })
  }
}
