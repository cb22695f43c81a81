/**
 * What `<pi-checkout>` tells its page: what the form does, never what the payment does.
 *
 * @module
 */
import type { CheckoutError } from './errors.ts'

/** Where the element stands. */
export type CheckoutState = 'idle' | 'loading' | 'ready' | 'busy' | 'finished' | 'error'

/** Fields of each event, by its type. */
export interface PiEventFields {
  'pi-ready': object
  'pi-statechange': { readonly state: CheckoutState; readonly previous: CheckoutState }
  'pi-leave': object
  'pi-finish': { readonly intentId: string }
  'pi-cancel': { readonly intentId: string }
  'pi-error': { readonly error: CheckoutError }
}

export type PiEventType = keyof PiEventFields

/**
 * An event of `<pi-checkout>`: it bubbles, crosses shadow roots and cannot be canceled.
 *
 * `new PiEvent('pi-finish', { intentId })` serves unit tests of your own handlers.
 */
export class PiEvent<T extends PiEventType = PiEventType> extends Event {
  declare readonly type: T

  constructor(type: T, fields?: PiEventFields[T]) {
    super(type, { bubbles: true, composed: true })
    Object.assign(this, fields)
  }
}

/** The form is usable, again after each new handshake. */
export type PiReadyEvent = PiEvent<'pi-ready'>
/** The element stands elsewhere; dispatched before the event that says why. */
export type PiStateChangeEvent = PiEvent<'pi-statechange'> & PiEventFields['pi-statechange']
/** The hosted page is about to move the top page: drop your `beforeunload` guard. */
export type PiLeaveEvent = PiEvent<'pi-leave'>
/** Not proof of payment, nor of its absence: the buyer is done with the form. Ask your server. */
export type PiFinishEvent = PiEvent<'pi-finish'> & PiEventFields['pi-finish']
/** Not proof of anything: the buyer left the form on purpose. Ask your server. */
export type PiCancelEvent = PiEvent<'pi-cancel'> & PiEventFields['pi-cancel']
/** The checkout cannot be shown. Not fired for what the automatic retry heals. */
export type PiErrorEvent = PiEvent<'pi-error'> & PiEventFields['pi-error']

declare global {
  interface HTMLElementEventMap {
    'pi-ready': PiReadyEvent
    'pi-statechange': PiStateChangeEvent
    'pi-leave': PiLeaveEvent
    'pi-finish': PiFinishEvent
    'pi-cancel': PiCancelEvent
    'pi-error': PiErrorEvent
  }
}
