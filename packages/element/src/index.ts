/**
 * The public names of the element. Importing them does not register it: import `./define` for that.
 *
 * @module
 */

export { PiCheckout } from './checkout-element.ts'
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
export { configureCheckout } from './origin.ts'
export { whenReady } from './when-ready.ts'
