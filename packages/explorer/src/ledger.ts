/** What a log has shown: orders, handoffs, buyers, and the newest records. @module */
import type { PlacedOrder } from './adapter.ts'
import type { Event, HandoffEvent, Intent, OrderEvent, RecordEvent, Stage } from './events.ts'

/** A handoff that a buyer's page got, with the intent as it was then. */
export interface Handoff extends Intent {
  readonly clientSecret: string
  readonly buyer: string
  /** Number of the purchase, counted for each buyer. */
  readonly purchase: number
}

/** An order, as far as handoffs and edits have shown it. */
interface KnownOrder {
  /** As the adapter has named it. */
  readonly placed: PlacedOrder
  /** What the shop has given for it since it was edited. */
  readonly given: readonly Handoff[]
}

interface KnownBuyer {
  isOnPage: boolean
  /** The order that the page sends, if the adapter has named one. */
  orderId: string | undefined
  /** Increases when the shop has said paid: the buyer then buys something else. */
  purchase: number
  /** What the open pages can pay, each intent once. */
  readonly held: Handoff[]
  /** What the newest request for a handoff led to in this stage: an intent, or an HTTP status. */
  retried: Intent | number | undefined
  /** The newest phase in this stage. */
  phase: string | undefined
}

export class Ledger {
  apiKey = ''
  handoffPath = ''
  stage: Stage = 'actions'
  /** The newest intents. */
  intents: readonly Intent[] = []
  /** Every handoff of the sequence. */
  readonly handoffs: Handoff[] = []
  /** The newest record of each order. */
  readonly records: Map<string, RecordEvent['record']> = new Map()
  readonly buyers: Map<string, KnownBuyer> = new Map()
  readonly #orders = new Map<string, KnownOrder>()

  buyer(name: string): KnownBuyer {
    const known = this.buyers.get(name)
    if (known) return known
    const unknown = { orderId: undefined, retried: undefined, phase: undefined }
    const buyer = { isOnPage: false, purchase: 1, held: [], ...unknown }
    this.buyers.set(name, buyer)
    return buyer
  }

  order(orderId: string): KnownOrder {
    return this.#orders.get(orderId) ?? { placed: {}, given: [] }
  }

  /** Returns what an order costs after its edits, in minor units, if it is known. */
  amount(orderId: string): number | undefined {
    const { placed, given } = this.order(orderId)
    return placed.amount ?? given.at(-1)?.amount
  }

  newest(buyer: string): Handoff | undefined {
    return this.handoffs.findLast((handoff) => handoff.buyer === buyer)
  }

  /** Returns the handoffs whose intents have succeeded, each intent once. */
  paid(): readonly Handoff[] {
    const first = new Map<string, Handoff>()
    for (const handoff of this.handoffs) {
      const intent = this.intents.find(({ id }) => id === handoff.id)
      if (intent?.status === 'succeeded' && !first.has(intent.id)) first.set(intent.id, handoff)
    }
    return [...first.values()]
  }

  /** Returns whether an order has been paid as it is now, after its edits. */
  isPaid(orderId: string): boolean {
    const { given } = this.order(orderId)
    return this.paid().some(({ id }) => given.some((handoff) => handoff.id === id))
  }

  add(event: Event): void {
    if (event.type === 'order') this.#place(event)
    else if (event.type === 'handoff') this.#give(event)
    else if (event.type === 'record') this.records.set(event.orderId, event.record)
    else if (event.type === 'intents') this.intents = event.intents
    else if (event.type === 'begin') {
      this.apiKey = event.apiKey
      this.handoffPath = event.handoffPath
    } else if (event.type === 'status') {
      const buyer = this.buyer(event.buyer)
      buyer.phase = event.phase
      if (event.phase === 'paid' && event.orderId === buyer.orderId) buyer.purchase++
    } else if (event.type === 'stage') {
      this.stage = event.stage
      for (const buyer of this.buyers.values()) {
        buyer.retried = undefined
        buyer.phase = undefined
      }
    }
  }

  #place({ buyer: name, order, isEdited }: OrderEvent): void {
    const buyer = this.buyer(name)
    buyer.isOnPage = true
    const { orderId = buyer.orderId ?? this.newest(name)?.orderId } = order
    if (buyer.orderId !== undefined && orderId !== buyer.orderId) {
      // An edit that leads to another order begins another purchase. So does an order after a paid one: a killed shop
      // may have stored that it is paid before the status says so.
      if (isEdited || this.records.get(buyer.orderId)?.state === 'paid') buyer.purchase++
    }
    if (order.orderId !== undefined) buyer.orderId = orderId
    if (orderId === undefined) return
    const { placed, given } = this.order(orderId)
    const known = this.amount(orderId) ?? order.amount
    // Another amount is another version of the order.
    const isOther = isEdited || (order.amount ?? known) !== known
    this.#orders.set(orderId, {
      placed: isEdited ? order : { ...placed, ...order },
      given: isOther ? [] : given,
    })
  }

  #give({ buyer: name, status, given }: HandoffEvent): void {
    const buyer = this.buyer(name)
    buyer.retried = given?.intent ?? status
    if (!given) return
    const { intent, clientSecret } = given
    const handoff = { ...intent, clientSecret, buyer: name, purchase: buyer.purchase }
    const order = this.order(intent.orderId)
    this.handoffs.push(handoff)
    this.#orders.set(intent.orderId, { ...order, given: [...order.given, handoff] })
    if (!buyer.held.some(({ id }) => id === intent.id)) buyer.held.push(handoff)
  }
}
