/**
 * Requests of a checkout page to its own server: the handoff and the payment's phase. Without Lit and without an element.
 *
 * @module
 */
export type { Handoff } from '../handoff.ts'
export type { FollowOptions, PaymentPhase, Phase } from './follow-payment.ts'
export { followPayment } from './follow-payment.ts'
export type { HandoffOptions, HandoffProblemCode } from './post-handoff.ts'
export { HandoffError, postHandoff } from './post-handoff.ts'
