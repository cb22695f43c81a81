/** The events of `<pi-checkout>`. @module */
import type { PaymentStatus } from './client/fetch-status.ts'
import type { CheckoutError } from './errors.ts'

/** State of the element. `finished`: without `fetchStatus`, the form has ended. */
export type CheckoutState =
  | 'idle'
  | 'loading'
  | 'ready'
  | 'busy'
  | 'confirming'
  | 'processing'
  | 'paid'
  | 'review'
  | 'failed'
  | 'finished'
  | 'error'

/** Fields of each event, by its type. */
export interface PiEventFields {
  'pi-ready': object
  'pi-statechange': { readonly state: CheckoutState; readonly previous: CheckoutState }
  'pi-leave': object
  'pi-phase': PaymentStatus
  'pi-finish': { readonly intentId: string }
  'pi-cancel': { readonly intentId: string }
  'pi-error': { readonly error: CheckoutError }
}

/** Type of an event of `<pi-checkout>`. */
export type PiEventType = keyof PiEventFields

/**
 * An event of `<pi-checkout>`. It bubbles, crosses shadow roots, and cannot be canceled.
 *
 * @example
 * // In a unit test of your own handler:
 * element.dispatchEvent(new PiEvent('pi-finish', { intentId: 'pi_1' }))
 */
export class PiEvent<T extends PiEventType = PiEventType> extends Event {
  declare readonly type: T

  /**
   * Creates an event as the element dispatches it.
   *
   * @param type - Such as `'pi-finish'`.
   * @param fields - Become properties of the event.
   */
  constructor(type: T, fields?: PiEventFields[T]) {
    super(type, { bubbles: true, composed: true })
    Object.assign(this, fields)
  }
}

/** The form is usable. Fires again after each new handshake, and if a payment is declined after the form has ended. */
export type PiReadyEvent = PiEvent<'pi-ready'>
/** The state changed. Fires before the specific event. */
export type PiStateChangeEvent = PiEvent<'pi-statechange'> & PiEventFields['pi-statechange']
/** The bank's page is about to replace yours: remove your `beforeunload` handler. */
export type PiLeaveEvent = PiEvent<'pi-leave'>
/** Your server has another phase of the payment: once for each intent and phase. */
export type PiPhaseEvent = PiEvent<'pi-phase'> & PiEventFields['pi-phase']
/** The buyer is done with the form, on a page without `fetchStatus`. Not proof of payment: ask your server. */
export type PiFinishEvent = PiEvent<'pi-finish'> & PiEventFields['pi-finish']
/** The buyer canceled, on a page without `fetchStatus`. Not proof of anything: ask your server. */
export type PiCancelEvent = PiEvent<'pi-cancel'> & PiEventFields['pi-cancel']
/** The checkout cannot be shown. Does not fire if the automatic retry succeeds. */
export type PiErrorEvent = PiEvent<'pi-error'> & PiEventFields['pi-error']

declare global {
  interface HTMLElementEventMap {
    'pi-ready': PiReadyEvent
    'pi-statechange': PiStateChangeEvent
    'pi-leave': PiLeaveEvent
    'pi-phase': PiPhaseEvent
    'pi-finish': PiFinishEvent
    'pi-cancel': PiCancelEvent
    'pi-error': PiErrorEvent
  }
}
