/** The public names of the element. Importing them registers `<pi-checkout>`. @module */
import './register.ts'

export type { Appearance, AppearanceColor } from '@pi-checkout/contract/frame-protocol'
export { PiCheckout } from './checkout-element.ts'
export type { CheckoutConfiguration } from './configure-checkout.ts'
export { configureCheckout } from './configure-checkout.ts'
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
  PiPhaseEvent,
  PiReadyEvent,
  PiStateChangeEvent,
} from './events.ts'
export { PiEvent } from './events.ts'
export type { FetchHandoff, FetchStatus, Handoff, OrderHandoff } from './handoff.ts'
