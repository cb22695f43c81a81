/** The log of a sequence: what happened, in order, as data. Rules and actions read nothing else. @module */
import type { PaymentIntent } from '@pi-checkout/contract/payment-intent'
import type { OrderState, PlacedOrder } from './adapter.ts'

/** What rules read of an intent. */
export type Intent = Pick<PaymentIntent, 'id' | 'orderId' | 'amount' | 'currency' | 'status'>

/** A response of the shop. */
export interface ResponseEvent {
  readonly type: 'response'
  readonly buyer: string
  readonly method: string
  readonly path: string
  /** 0 if there was no response. */
  readonly status: number
  readonly head: string
  readonly body: string
  /** Whether the buyer sent the request, not the adapter that reads the shop's records. */
  readonly isOfBuyer: boolean
}

/** The shop has placed or changed the order of a buyer. */
export interface OrderEvent {
  readonly type: 'order'
  readonly buyer: string
  readonly order: PlacedOrder
  readonly isEdited: boolean
}

/** The shop gave an intent to a page of a buyer. */
export interface HandoffEvent {
  readonly type: 'handoff'
  readonly buyer: string
  readonly intent: Intent
  readonly clientSecret: string
  /** The intents when the page sent its request. */
  readonly before: readonly Intent[]
}

/** The status route has responded to a buyer. */
export interface StatusEvent {
  readonly type: 'status'
  readonly buyer: string
  /** As the request named it. */
  readonly orderId: string | undefined
  readonly phase: string
  /** The intents after the response. */
  readonly intents: readonly Intent[]
}

/** What the shop has stored about an order. `undefined`: the adapter cannot read it. */
export interface RecordEvent {
  readonly type: 'record'
  readonly buyer: string
  readonly orderId: string
  /** `missing`: the shop has no record of the order. */
  readonly state: OrderState | 'missing' | undefined
  readonly reviews: readonly string[] | undefined
  readonly fulfilments: number | undefined
  /** The intents after the record was read. */
  readonly intents: readonly Intent[]
}

/**
 * Part of a sequence: the actions, and the three parts of its end. `retry`: buyers whose payment failed request
 * another one. `away`: all is paid, and no buyer comes back. `back`: every buyer comes back.
 */
export type Stage = 'actions' | 'retry' | 'away' | 'back'

/** Something that happened in a sequence. */
export type Event =
  /** An action began, as `--replay` writes it. */
  | { readonly type: 'step'; readonly step: string }
  | { readonly type: 'stage'; readonly stage: Stage }
  | { readonly type: 'page-opened' | 'page-closed'; readonly buyer: string }
  | ResponseEvent
  | OrderEvent
  | HandoffEvent
  /** The shop gave a page nothing to pay with. */
  | { readonly type: 'no-handoff'; readonly buyer: string; readonly status: number }
  | StatusEvent
  | RecordEvent
  | { readonly type: 'intents'; readonly intents: readonly Intent[] }
  /** A process of the shop was killed by an action. */
  | { readonly type: 'killed' }
  /** A process of the shop exited, or did not start again. */
  | { readonly type: 'exited'; readonly reason: string }
  /** What the shop printed, and the sandbox's lint, at the end. */
  | { readonly type: 'output'; readonly lines: readonly string[]; readonly lint: readonly string[] }

/** What happened in one sequence. */
export interface Log {
  /** The shop's key, which is in no response and no output. */
  readonly apiKey: string
  /** The path whose responses contain a `clientSecret`. */
  readonly handoffPath: string
  readonly events: readonly Event[]
}
