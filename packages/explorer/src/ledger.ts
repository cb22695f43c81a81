/** What a log has shown: orders, handoffs, buyers, and the newest records. @module */
import type { PlacedOrder } from './adapter.ts'
import type { Event, HandoffEvent, Intent, OrderEvent, RecordEvent } from './events.ts'

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
  /** Increases when a buyer who has paid gets another order, or edits into another one. */
  purchase: number
  /** What the newest request for a handoff led to: an intent, or an HTTP status. */
  handedOut: Intent | number | undefined
  /** The newest phase. */
  phase: string | undefined
}

export class Ledger {
  /** The newest intents. */
  intents: readonly Intent[] = []
  /** Every handoff of the sequence. */
  readonly handoffs: Handoff[] = []
  /** The newest record of each order. */
  readonly records: Map<string, RecordEvent['record']> = new Map()
  readonly buyers: Map<string, KnownBuyer> = new Map()
  readonly #orders = new Map<string, KnownOrder>()

  constructor(events: readonly Event[] = []) {
    for (const event of events) this.add(event)
  }

  buyer(name: string): KnownBuyer {
    const known = this.buyers.get(name)
    if (known) return known
    const unknown = { orderId: undefined, handedOut: undefined, phase: undefined }
    const buyer = { isOnPage: false, purchase: 1, ...unknown }
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

  /** Returns what the open pages of a buyer can pay, each intent once. */
  held(buyer: string): readonly Handoff[] {
    return firstOfEach(this.handoffs.filter((handoff) => handoff.buyer === buyer))
  }

  /** Returns the handoffs whose intents have succeeded, each intent once. */
  paid(): readonly Handoff[] {
    const succeeded = this.intents.filter(({ status }) => status === 'succeeded')
    return firstOfEach(this.handoffs).filter(({ id }) => succeeded.some((each) => each.id === id))
  }

  /** Returns whether an order has been paid as it is now, after its edits. */
  isPaid(orderId: string): boolean {
    const { given } = this.order(orderId)
    return this.paid().some(({ id }) => given.some((handoff) => handoff.id === id))
  }

  /** Returns the order that a buyer's page is about. */
  current(buyer: string): string | undefined {
    return this.buyer(buyer).orderId ?? this.newest(buyer)?.orderId
  }

  /** Returns the order of a buyer's newest handoff, unless a payment of it has succeeded, or may without its buyer. */
  unpaidOrder(buyer: string): string | undefined {
    const { orderId } = this.newest(buyer) ?? {}
    const isPaid = this.intents.some((intent) => intent.orderId === orderId && isOnItsWay(intent))
    return isPaid ? undefined : orderId
  }

  add(event: Event): void {
    if (event.type === 'order') this.#place(event)
    else if (event.type === 'handoff') this.#give(event)
    else if (event.type === 'record') this.records.set(event.orderId, event.record)
    else if (event.type === 'intents') this.intents = event.intents
    else if (event.type === 'status') this.buyer(event.buyer).phase = event.phase
  }

  #place({ buyer: name, order, isEdited }: OrderEvent): void {
    const buyer = this.buyer(name)
    buyer.isOnPage = true
    const { orderId = this.current(name) } = order
    if (isEdited && orderId !== this.current(name)) buyer.purchase++
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
    buyer.handedOut = given ?? status
    if (!given) return
    const { orderId } = given
    const paid = this.paid().filter((each) => each.buyer === name && each.orderId !== orderId)
    if (paid.some(({ purchase }) => purchase === buyer.purchase)) buyer.purchase++
    const handoff = { ...given, buyer: name, purchase: buyer.purchase }
    const order = this.order(orderId)
    this.handoffs.push(handoff)
    this.#orders.set(orderId, { ...order, given: [...order.given, handoff] })
  }
}

/** Returns whether an intent has succeeded, or may still succeed without its buyer. */
export function isOnItsWay({ status }: Intent): boolean {
  return status === 'succeeded' || status === 'processing'
}

/** Returns whether a request for a handoff led to an intent that can be paid, or is paid. */
export function isPayable(handedOut: Intent | number | undefined): boolean {
  return typeof handedOut === 'object' && !/^(?:failed|canceled|expired)$/.test(handedOut.status)
}

function firstOfEach(handoffs: readonly Handoff[]): readonly Handoff[] {
  return handoffs.filter(({ id }, index) => handoffs.findIndex((each) => each.id === id) === index)
}
