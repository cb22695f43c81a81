/** The log of a sequence: what happened, in order, as data. Rules and actions read nothing else. @module */
import type { PaymentIntent } from '@pi-checkout/contract/payment-intent'
import type { OrderRecord, PlacedOrder } from './adapter.ts'

/** What rules read of an intent. */
export type Intent = Pick<PaymentIntent, 'id' | 'orderId' | 'amount' | 'currency' | 'status'>

/** A response of the shop. */
export interface ResponseEvent {
  readonly type: 'response'
  readonly method: string
  readonly path: string
  /** Only its body may contain a `clientSecret`. */
  readonly isHandoff: boolean
  readonly head: string
  readonly body: string
}

/** A buyer has opened the page, or changed the order. */
export interface OrderEvent {
  readonly type: 'order'
  readonly buyer: string
  /** Without what the adapter does not know. */
  readonly order: PlacedOrder
  readonly isEdited: boolean
}

/** The page of a buyer has requested something to pay with. */
export interface HandoffEvent {
  readonly type: 'handoff'
  readonly buyer: string
  /** HTTP status, 0 if there was no response. */
  readonly status: number
  /** `undefined`: the shop gave it nothing. */
  readonly given: (Intent & { readonly clientSecret: string }) | undefined
}

/** The status route has responded to a buyer. */
interface StatusEvent {
  readonly type: 'status'
  readonly buyer: string
  /** The order that the request named, else the buyer's current one. */
  readonly orderId: string | undefined
  readonly phase: string
}

/** What the shop has stored about an order. */
export interface RecordEvent {
  readonly type: 'record'
  readonly orderId: string
  /** `missing`: the shop has no record of the order. */
  readonly record: Omit<OrderRecord, 'state'> & { readonly state: OrderRecord['state'] | 'missing' }
}

/** Something that happened in a sequence. */
export type Event =
  /** The intents of the environment, read before a handoff, and after what shows an order. */
  | { readonly type: 'intents'; readonly intents: readonly Intent[] }
  | ResponseEvent
  | OrderEvent
  | HandoffEvent
  | StatusEvent
  | RecordEvent
  /** A process of the shop exited, or did not start again. */
  | { readonly type: 'exited'; readonly reason: string }
  /** What the shop has printed, and the sandbox's lint. */
  | { readonly type: 'output'; readonly lines: readonly string[]; readonly lint: readonly string[] }
