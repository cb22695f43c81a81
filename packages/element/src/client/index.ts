/**
 * Requests of a checkout page to its own server: the handoff and the payment's phase. Without Lit and without an element.
 *
 * @module
 */
export type { Handoff, OrderHandoff } from '../handoff.ts'
export type { OrderRequest, PaymentPhase, PaymentStatus } from './fetch-status.ts'
export { getStatus } from './fetch-status.ts'
export { followPayment } from './follow-payment.ts'
export { postHandoff } from './post-handoff.ts'
export { type HandoffProblemCode, ShopError } from './shop-error.ts'
