/** Values and event handlers that the types of each framework share. @module */
import type { Appearance } from '@pi-checkout/contract/frame-protocol'
import type { PiEventType } from '../events.ts'
import type { FetchHandoff, FetchStatus, Handoff } from '../handoff.ts'

/** Values of the element. A missing one is `null`. */
export interface CheckoutValues {
  /** Requests the handoff from your server. Without an order's id, pass the same function at each render. */
  readonly fetchHandoff?: FetchHandoff | null | undefined
  /** Requests the payment's phase from your server. */
  readonly fetchStatus?: FetchStatus | null | undefined
  /** The response of your handoff route, if the page has it. */
  readonly handoff?: Handoff | null | undefined
  /**
   * Title of the frame.
   *
   * @default "Secure payment form" in the locale
   */
  readonly label?: string | null | undefined
  /**
   * Look of the hosted page.
   *
   * @default The appearance of `configureCheckout`
   */
  readonly appearance?: Appearance | null | undefined
  /**
   * BCP 47 tag.
   *
   * @default The closest `lang` attribute
   */
  readonly locale?: string | null | undefined
}

/** Attributes of the tag that servers render. */
export interface CheckoutAttributes {
  /** Path of the routes of `createCheckout`, such as `/checkout`. */
  readonly 'base-path'?: string | undefined
  /** Id of the order. An empty one waits. */
  readonly 'order-id'?: string | undefined
}

export type Handler<T extends PiEventType> = (event: HTMLElementEventMap[T]) => void

/** Handlers by attribute, such as `onpi-finish`. */
export type AttributeHandlers = {
  readonly [T in PiEventType as `on${T}`]?: Handler<T> | undefined
}
