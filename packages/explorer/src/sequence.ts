/** One sequence of actions: a shop, an environment, and buyers; what they hold, and what the shop has said. @module */
import { rmSync } from 'node:fs'
import { mkdtemp } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { isDeepStrictEqual } from 'node:util'
import { type SandboxAddress, SandboxEnvironment } from '@pi-checkout/contract/sandbox-environment'
import type { Adapter, PlacedOrder, ShopRoutes } from './adapter.ts'
import { Buyer, type Received } from './buyer.ts'
import type { RecordedRequest } from './exploration.ts'
import { type Card, type Handoff, HostedPage } from './hosted-page.ts'
import type { Shop } from './shop.ts'
import { SetupError, Violation } from './violation.ts'

/** A handoff that a buyer's page holds. */
export interface Pair extends Handoff {
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
}

/** An amount that no shop has, for forged requests. */
export const forgedAmount = 7

/** The service that the explorer has started. */
export interface ServiceAddress extends SandboxAddress {
  readonly checkoutOrigin: string
}

/** What a sequence needs. */
export interface SequenceOptions {
  readonly shop: Shop
  readonly service: ServiceAddress
  readonly adapter: Adapter
}

export class Sequence {
  readonly shop: Shop
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
  readonly #orders = new Map<string, KnownOrder>()
  readonly #secrets: Set<string>
  readonly #settlesWithin: number

  private constructor(
    { shop, service, adapter }: SequenceOptions,
    { environment, folder }: { readonly environment: SandboxEnvironment; readonly folder: string },
  ) {
    this.shop = shop
    this.adapter = adapter
    const { page = '/', handoff = '/checkout/handoff' } = adapter.routes ?? {}
    const { status = '/checkout/status' } = adapter.routes ?? {}
    this.routes = { page, handoff, status }
    this.#settlesWithin = adapter.settlesWithin ?? 3000
    this.environment = environment
    this.#service = service
    this.#folder = folder
    process.once('exit', this.#removeFolder)
    this.#secrets = new Set([environment.apiKey])
    const names = ['A', 'B', 'C', 'D'].slice(0, adapter.buyers ?? 2)
    this.buyers = names.map(
      (name) => new Buyer({ name, origin: shop.url, onResponse: this.#check }),
    )
  }

  /** Creates an environment, and starts the shop with its key. */
  static async begin(options: SequenceOptions): Promise<Sequence> {
    const { shop, service, adapter } = options
    const environment = await SandboxEnvironment.create(service, [shop.url])
    const folder = await mkdtemp(join(tmpdir(), 'pi-explore-'))
    const sequence = new Sequence(options, { environment, folder })
    try {
      await shop.start({
        ...process.env,
        PORT: new URL(shop.url).port,
        ...adapter.env?.({ folder }),
        PI_BASE_URL: service.baseUrl,
        PI_CHECKOUT_ORIGIN: service.checkoutOrigin,
        PI_API_KEY: environment.apiKey,
      })
    } catch (error) {
      await sequence.end()
      throw error
    }
    return sequence
  }

  async end(): Promise<void> {
    await this.shop.stop('SIGKILL')
    await this.environment.delete()
    process.off('exit', this.#removeFolder)
    this.#removeFolder()
  }

  readonly #removeFolder = (): void => rmSync(this.#folder, { recursive: true, force: true })

  /** Opens the page, in a tab. */
  async open(buyer: Buyer): Promise<void> {
    // A page that is loaded again asks whether its payment has ended.
    const isAgain = this.pairs.some(
      (pair) => pair.buyer === buyer && pair.purchase === buyer.purchase,
    )
    if (isAgain) await this.poll(buyer)
    this.#place(buyer, await this.adapter.begin?.(buyer))
    await buyer.fetch(this.routes.page)
    buyer.isOnPage = true
  }

  /** Requests the handoff, as the page does. */
  async handoff(buyer: Buyer, extra: object = {}): Promise<Response> {
    const { orderId = buyer.orderId, ...others } = extra as { orderId?: string }
    const { purchase } = buyer
    const response = await buyer.fetch(this.routes.handoff, {
      body: JSON.stringify({ ...(orderId !== undefined && { orderId }), ...others }),
    })
    if (!response.ok) return response
    const given = (await response
      .clone()
      .json()
      .catch(() => ({}))) as Partial<Handoff>
    if (typeof given.id === 'string' && typeof given.clientSecret === 'string') {
      await this.#hold({ id: given.id, clientSecret: given.clientSecret }, { buyer, purchase })
    }
    return response
  }

  async #hold(
    { id, clientSecret }: Handoff,
    { buyer, purchase }: Pick<Pair, 'buyer' | 'purchase'>,
  ): Promise<void> {
    this.#secrets.add(clientSecret)
    const { orderId, amount, currency } = await this.environment.intent(id)
    const { version } = this.#order(orderId)
    const pair = { id, clientSecret, buyer, purchase, orderId, amount, currency, version }
    const other = this.pairs.find((known) => known.id === id && known.buyer !== buyer)
    if (other) {
      const detail = `The handoff gave intent ${id} to ${buyer.name}, and before to ${other.buyer.name}.`
      throw new Violation('session_mixed', `${detail} Find the order by the buyer's session.`)
    }
    if (amount === forgedAmount) {
      const detail = `A request with "amount": ${forgedAmount} led to intent ${id} of ${amount} ${currency}.`
      throw new Violation('price_from_browser', `${detail} Take the price from your own records.`)
    }
    this.pairs.push(pair)
    this.#orders.set(orderId, { version, amount })
    if (!this.held.some((each) => each.id === id)) this.held.push(pair)
  }

  #order(orderId: string): KnownOrder {
    return this.#orders.get(orderId) ?? { version: 0, amount: undefined }
  }

  /**
   * Opens the hosted page with a handoff, and pays, or cancels.
   *
   * @returns The status, or `undefined` if the service rejected it.
   */
  async pay(pair: Pair, card: Card | 'canceled'): Promise<string | undefined> {
    const page = await HostedPage.open(this.#service.checkoutOrigin, pair, this.shop.url)
    return card === 'canceled' ? await page?.cancel() : await page?.pay(card)
  }

  /** Requests the phase, as the page does. */
  async poll(buyer: Buyer, query: Readonly<Record<string, string>> = {}): Promise<string> {
    const { status } = this.routes
    const { orderId = buyer.orderId, ...others } = query
    const search = String(new URLSearchParams({ ...(orderId && { orderId }), ...others }))
    const { purchase } = buyer
    const response = await buyer.fetch(search ? `${status}?${search}` : status)
    const { phase } = (await response.json().catch(() => ({}))) as { phase?: unknown }
    const isOwn = query.orderId === undefined || query.orderId === buyer.orderId
    if (phase === 'paid' && isOwn) {
      await this.#checkPaid(buyer, orderId)
      if (buyer.purchase === purchase) buyer.purchase++
    }
    return String(phase)
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
    for (const pair of paid) this.#checkAmount(pair.orderId, paid)
  }

  /** @throws {Violation} If an order that the shop calls paid has another amount than what was paid. */
  #checkAmount(orderId: string, paid: readonly Pair[]): void {
    const { amount } = this.#order(orderId)
    const own = paid.filter((pair) => pair.orderId === orderId)
    if (amount === undefined || own.some((pair) => pair.amount === amount)) return
    throw new Violation(
      'false_paid',
      `The shop says that order ${orderId} of ${amount} ${own[0]?.currency} is paid, and intent ${own[0]?.id} paid ${own[0]?.amount}. Compare amount and currency.`,
    )
  }

  /** Changes the order. */
  async edit(buyer: Buyer): Promise<void> {
    this.#place(buyer, await this.adapter.edit?.(buyer), true)
  }

  /** Remembers the buyer's order. Another amount is another version of it. */
  #place(buyer: Buyer, order: PlacedOrder | undefined, isEdited = false): void {
    if (!order) return
    const { amount, orderId = buyer.orderId ?? this.#newest(buyer)?.orderId } = order
    // An edit that leads to another order begins another purchase.
    if (isEdited && buyer.orderId !== undefined && orderId !== buyer.orderId) buyer.purchase++
    if (order.orderId !== undefined) buyer.orderId = orderId
    if (orderId === undefined) return
    const known = this.#order(orderId)
    const isOther = isEdited || (amount ?? known.amount) !== (known.amount ?? amount)
    this.#orders.set(orderId, {
      version: known.version + Number(isOther),
      amount: amount ?? (isEdited ? undefined : known.amount),
    })
  }

  /** Pays what is held, and lets every buyer come back. Then compares the shop's records with the sandbox's. */
  async close(): Promise<void> {
    await this.environment.clearFaults()
    for (const pair of this.held) await this.pay(pair, 'succeeds')
    for (const { id, status } of await this.environment.intents()) {
      if (status === 'processing') await this.environment.settle(id, 'succeeded')
    }
    await this.adapter.reconcile?.()
    const paid = await this.paidAmong(this.pairs)
    this.#checkDoubles(paid)
    for (const pair of paid) await this.#checkRecord(pair, paid)
    for (const buyer of this.buyers) await this.#comeBack(buyer, paid)
    await this.#checkFulfilments(paid)
    this.#checkLines()
    this.checkRunning()
    if ((await this.environment.brokenRules()).includes('secret_in_url')) {
      throw new Violation('secret_exposed', 'A clientSecret was in the address of a request.')
    }
  }

  /** @throws {Violation} If the killed shop does not start again. */
  async restart(): Promise<void> {
    try {
      await this.shop.restart()
    } catch (error) {
      if (!(error instanceof SetupError)) throw error
      throw new Violation('shop_exited', `After it was killed: ${error.message}`)
    }
  }

  /** @throws {Violation} If the process of the shop has ended. */
  checkRunning(): void {
    if (!this.shop.hasExited) return
    const last = this.shop.lines.slice(-8).join('\n')
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

  #checkDoubles(paid: readonly Pair[]): void {
    for (const [index, pair] of paid.entries()) {
      const twin = paid
        .slice(0, index)
        .find(
          ({ buyer, purchase, orderId, amount }) =>
            amount === pair.amount &&
            (orderId === pair.orderId || (buyer === pair.buyer && purchase === pair.purchase)),
        )
      if (!twin) continue
      const same = twin.orderId === pair.orderId
      const where = same ? `order ${pair.orderId}` : `orders ${twin.orderId} and ${pair.orderId}`
      throw new Violation(
        'double_payment',
        `Intents ${twin.id} and ${pair.id} of ${where} are both paid, ${pair.amount} ${pair.currency} each, for one purchase of ${pair.buyer.name}.`,
      )
    }
  }

  /** Waits until the shop itself knows of a payment whose buyer did not come back. */
  async #checkRecord({ buyer, orderId, id }: Pair, paid: readonly Pair[]): Promise<void> {
    const { state } = this.adapter
    if (!state) return
    // A payment of an earlier version of the order may need a person.
    const accepted: readonly string[] = this.#isPaid(orderId, paid) ? ['paid'] : ['paid', 'review']
    let seen = ''
    const isStored = async (): Promise<boolean> => {
      seen = await this.#unrecorded(async () => await state(buyer, orderId))
      return accepted.includes(seen)
    }
    const isKnown = await this.#becomes(isStored)
    if (seen === 'paid') this.#checkAmount(orderId, paid)
    if (isKnown) return
    throw new Violation(
      'payment_lost',
      `Intent ${id} of order ${orderId} is paid. After ${this.#settlesWithin} ms the shop's record of the order is "${seen}", not "${accepted.join('" or "')}". Retrieve the intents of open orders regularly: see reconcile().`,
    )
  }

  /** Whether an order has been paid as it is now. */
  #isPaid(orderId: string, paid: readonly Pair[]): boolean {
    const { version } = this.#order(orderId)
    return paid.some(
      ({ id }) =>
        this.pairs.findLast((pair) => pair.id === id && pair.orderId === orderId)?.version ===
        version,
    )
  }

  #newest(buyer: Buyer): Pair | undefined {
    return this.pairs.findLast((pair) => pair.buyer === buyer)
  }

  /** Asks the adapter, whose requests are not the buyer's. */
  async #unrecorded<T>(ask: () => Promise<T>): Promise<T> {
    const { length } = this.requests
    const response = await ask()
    this.requests.length = length
    return response
  }

  /** The buyer opens the page again, which requests the status. */
  async #comeBack(buyer: Buyer, paid: readonly Pair[]): Promise<void> {
    const own = paid.filter((pair) => pair.buyer === buyer)
    if (own.length > 0) await buyer.fetch(this.routes.page)
    const newest = this.#newest(buyer)
    for (const { id, orderId } of own) {
      // Without an order's id, the status route is about the buyer's current order only.
      const isCurrent = buyer.orderId !== undefined || newest?.orderId === orderId
      if (!isCurrent || !this.#isPaid(orderId, paid)) continue
      const asked = buyer.orderId === undefined ? {} : { orderId }
      const saysPaid = async (): Promise<boolean> => (await this.poll(buyer, asked)) === 'paid'
      if (await this.#becomes(saysPaid)) continue
      throw new Violation(
        'payment_lost',
        `Intent ${id} of order ${orderId} is paid, and the shop does not say so to ${buyer.name}.`,
      )
    }
  }

  /** Repeats a check until it succeeds, for `settlesWithin`. */
  async #becomes(question: () => Promise<boolean>): Promise<boolean> {
    const until = performance.now() + this.#settlesWithin
    while (!(await question())) {
      if (performance.now() > until) return false
      this.checkRunning()
      await sleep(50)
    }
    return true
  }

  async #checkFulfilments(paid: readonly Pair[]): Promise<void> {
    const { fulfilments } = this.adapter
    if (!fulfilments) return
    const orders = new Map(this.pairs.map((pair) => [pair.orderId, pair.buyer]))
    for (const [orderId, buyer] of orders) {
      let count = 0
      const isFulfilled = async (): Promise<boolean> => {
        count = await this.#unrecorded(async () => await fulfilments(buyer, orderId))
        return count > 0
      }
      if (!this.#isPaid(orderId, paid)) await isFulfilled()
      else if (!(await this.#becomes(isFulfilled)))
        throw new Violation(
          'not_fulfilled',
          `Order ${orderId} is paid, and the shop did not fulfil it. Fulfil it when its row becomes paid, also if no page asks for the status.`,
        )
      const isPaid = paid.some((pair) => pair.orderId === orderId)
      const detail = `The shop fulfilled order ${orderId} ${count} times.`
      if (count > 1)
        throw new Violation(
          'fulfilled_twice',
          `${detail} Fulfil it once, when a row changes from unpaid to paid.`,
        )
      if (count > 0 && !isPaid)
        throw new Violation('fulfilled_unpaid', `${detail} No intent of it has succeeded.`)
    }
  }

  /** @throws {Violation} If a response contains a secret that does not belong there. */
  readonly #check = (request: Omit<RecordedRequest, 'times'>, { head, body }: Received): void => {
    this.#record(request)
    const isHandoff = request.path.split('?')[0] === this.routes.handoff
    const exposed = [...this.#secrets].find(
      (secret) =>
        head.includes(secret) ||
        (body.includes(secret) && !(isHandoff && secret !== this.environment.apiKey)),
    )
    if (!exposed) return
    const isKey = exposed === this.environment.apiKey
    throw new Violation(
      'secret_exposed',
      `${request.method} ${request.path} returned ${isKey ? 'the API key' : 'a clientSecret'}. Only the response to the handoff contains a clientSecret.`,
    )
  }

  /** A request that repeats is one entry. */
  #record(request: Omit<RecordedRequest, 'times'>): void {
    const { times = 0 } = this.requests.at(-1) ?? {}
    const isSame = isDeepStrictEqual(this.requests.at(-1), { ...request, times })
    if (isSame) this.requests.pop()
    this.requests.push({ ...request, times: isSame ? times + 1 : 1 })
  }

  #checkLines(): void {
    const line = this.shop.lines.find((text) =>
      [...this.#secrets].some((each) => text.includes(each)),
    )
    if (line === undefined) return
    let shown = line
    for (const secret of this.#secrets) shown = shown.replaceAll(secret, '[secret]')
    throw new Violation('secret_exposed', `The shop printed a secret: ${shown}`)
  }
}
