/** What a log has shown: orders, handoffs, buyers, and the newest records. @module */
import type { PlacedOrder } from './adapter.ts'
import type {
  Event,
  HandoffEvent,
  Intent,
  OrderEvent,
  RecordEvent,
  Stage,
  StatusEvent,
} from './events.ts'

/** A handoff that a buyer's page got. */
export interface Handoff {
  readonly id: string
  readonly clientSecret: string
  readonly buyer: string
  /** Number of the purchase, counted for each buyer. */
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

interface KnownBuyer {
  /** Whether the page is open, in at least one tab. */
  isOnPage: boolean
  /** The order that the page sends, if the adapter has named one. */
  orderId: string | undefined
  /** Increases when the shop has said paid: the buyer then buys something else. */
  purchase: number
  /** What the open pages can pay, each intent once. */
  held: readonly Handoff[]
  /** What the newest request for a handoff led to in this stage: an intent, or an HTTP status. */
  retried: Intent | number | undefined
}

export class Ledger {
  /** Every handoff of the sequence. */
  readonly handoffs: Handoff[] = []
  /** The newest record of each order. */
  readonly records = new Map<string, RecordEvent>()
  /** The newest intents. */
  intents: readonly Intent[] = []
  stage: Stage = 'actions'
  wasKilled = false
  readonly #buyers = new Map<string, KnownBuyer>()
  readonly #orders = new Map<string, KnownOrder>()
  /** The newest phase of this stage, by buyer and order. */
  readonly #phases = new Map<string, string>()

  constructor(events: readonly Event[] = []) {
    for (const event of events) this.add(event)
  }

  get buyers(): readonly (readonly [name: string, buyer: KnownBuyer])[] {
    return [...this.#buyers]
  }

  buyer(name: string): KnownBuyer {
    const known = this.#buyers.get(name)
    if (known) return known
    const buyer = { isOnPage: false, orderId: undefined, purchase: 1, held: [], retried: undefined }
    this.#buyers.set(name, buyer)
    return buyer
  }

  order(orderId: string): KnownOrder {
    return this.#orders.get(orderId) ?? { version: 0, amount: undefined, placed: {} }
  }

  newest(buyer: string): Handoff | undefined {
    return this.handoffs.findLast((handoff) => handoff.buyer === buyer)
  }

  /** Returns the handoffs whose intents have succeeded, each intent once. */
  paid(intents = this.intents): readonly Handoff[] {
    const ids = new Set(intents.filter(({ status }) => status === 'succeeded').map(({ id }) => id))
    const first = new Map<string, Handoff>()
    for (const handoff of this.handoffs) {
      if (ids.has(handoff.id) && !first.has(handoff.id)) first.set(handoff.id, handoff)
    }
    return [...first.values()]
  }

  /** Returns whether an order has been paid as it is now, after its edits. */
  isPaid(orderId: string): boolean {
    const { version } = this.order(orderId)
    return this.paid().some(({ id }) => {
      const given = this.handoffs.findLast((each) => each.id === id && each.orderId === orderId)
      return given?.version === version
    })
  }

  /** Returns the paid handoffs that a status route shows to a buyer who comes back. */
  shownAsPaid(): readonly Handoff[] {
    return this.paid().filter(({ buyer, orderId }) => {
      // Without an order's id, the status route is about the buyer's current order only.
      const isNamed = this.buyer(buyer).orderId !== undefined
      return this.isPaid(orderId) && (isNamed || this.newest(buyer)?.orderId === orderId)
    })
  }

  /** Returns whether a status is about the order that the buyer's page shows. */
  isOwnStatus({ buyer, orderId }: StatusEvent): boolean {
    return orderId === this.buyer(buyer).orderId
  }

  /** Returns the newest phase of this stage. */
  phase(buyer: string, orderId: string): string | undefined {
    return this.#phases.get(`${buyer} ${orderId}`) ?? this.#phases.get(`${buyer} `)
  }

  add(event: Event): void {
    if ('intents' in event) this.intents = event.intents
    if (event.type === 'order') this.#place(event)
    else if (event.type === 'handoff') this.#give(event)
    else if (event.type === 'no-handoff') this.buyer(event.buyer).retried = event.status
    else if (event.type === 'status') this.#show(event)
    else if (event.type === 'record') this.records.set(event.orderId, event)
    else if (event.type === 'stage') this.#begin(event.stage)
    else if (event.type === 'killed') this.wasKilled = true
    else if (event.type === 'page-opened') this.buyer(event.buyer).isOnPage = true
    else if (event.type === 'page-closed')
      Object.assign(this.buyer(event.buyer), { isOnPage: false, held: [] })
  }

  #begin(stage: Stage): void {
    this.stage = stage
    this.#phases.clear()
    for (const buyer of this.#buyers.values()) buyer.retried = undefined
  }

  /** Another amount is another version of the order. */
  #place({ buyer: name, order, isEdited }: OrderEvent): void {
    const buyer = this.buyer(name)
    const { amount, orderId = buyer.orderId ?? this.newest(name)?.orderId } = order
    if (buyer.orderId !== undefined && orderId !== buyer.orderId) {
      // An edit that leads to another order begins another purchase. So does an order after a paid one: a killed shop
      // may have stored that it is paid before the status says so.
      if (isEdited || this.records.get(buyer.orderId)?.state === 'paid') buyer.purchase++
    }
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

  #give({ buyer: name, intent, clientSecret }: HandoffEvent): void {
    const buyer = this.buyer(name)
    const { id, orderId, amount, currency } = intent
    const { version, placed } = this.order(orderId)
    const about = { id, orderId, amount, currency, version }
    const handoff = { ...about, clientSecret, buyer: name, purchase: buyer.purchase }
    this.handoffs.push(handoff)
    this.#orders.set(orderId, { version, amount, placed })
    if (!buyer.held.some((each) => each.id === id)) buyer.held = [...buyer.held, handoff]
    buyer.retried = intent
  }

  #show(status: StatusEvent): void {
    const { buyer, orderId = '', phase } = status
    this.#phases.set(`${buyer} ${orderId}`, phase)
    if (phase === 'paid' && this.isOwnStatus(status)) this.buyer(buyer).purchase++
  }
}
