/** Values and event handlers that the types of each framework share. @module */
import type { Appearance } from '@pi-checkout/contract/frame-protocol'
import type { PiEventType } from '../events.ts'
import type { FetchHandoff, Handoff } from '../handoff.ts'

/** Values of the element. A missing one is `null`. */
export interface CheckoutValues {
  /** Requests the handoff from your server. Another function starts no request. */
  readonly fetchHandoff?: FetchHandoff | null | undefined
  /** The handoff, instead of `fetchHandoff`. */
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

export type Handler<T extends PiEventType> = (event: HTMLElementEventMap[T]) => void

/** Handlers by attribute, such as `onpi-finish`. */
export type AttributeHandlers = {
  readonly [T in PiEventType as `on${T}`]?: Handler<T> | undefined
}
