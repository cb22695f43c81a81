/** Values and event handlers that the types of each framework share. @module */
import type { PiCheckout } from '../checkout-element.ts'
import type { PiEventType } from '../events.ts'

type ValueName = 'fetchHandoff' | 'fetchStatus' | 'handoff' | 'appearance' | 'locale'

/** Values of the element. A missing one is `null`. */
export type CheckoutValues = {
  readonly [Name in keyof Pick<PiCheckout, ValueName>]?: PiCheckout[Name] | undefined
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
