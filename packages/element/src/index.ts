/** The public names of the element. Importing them does not register it: call `defineCheckout` for that. @module */

export type { Appearance, AppearanceColor } from './appearance.ts'
export { PiCheckout } from './checkout-element.ts'
export type { FetchHandoff, Handoff } from './credentials.ts'
export type { CheckoutDefinition } from './define-checkout.ts'
export { configureCheckout, defineCheckout } from './define-checkout.ts'
export type { CheckoutErrorCode } from './errors.ts'
export { CheckoutError } from './errors.ts'
export type {
  CheckoutState,
  PiCancelEvent,
  PiErrorEvent,
  PiEventFields,
  PiEventType,
  PiFinishEvent,
  PiLeaveEvent,
  PiReadyEvent,
  PiStateChangeEvent,
} from './events.ts'
export { PiEvent } from './events.ts'
export { whenReady } from './when-ready.ts'
