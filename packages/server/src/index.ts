/**
 * The public names of the merchant's half.
 *
 * @module
 */
export type {
  Currency,
  Customer,
  FieldError,
  Metadata,
  PaymentFailure,
  PaymentIntent,
  PaymentIntentPhase,
  PaymentIntentStatus,
  PaymentMethod,
} from '@pi-checkout/contract'
export { currencies, formatMoney, isCurrency, phaseOf, toMinor } from '@pi-checkout/contract'
export type {
  CallOptions,
  CreatedIntent,
  CreateOptions,
  PaymentIntentsOptions,
} from './client.ts'
export { PaymentIntents } from './client.ts'
export type { CspOptions } from './csp.ts'
export { cspFor } from './csp.ts'
export type { PiErrorCode } from './error-codes.ts'
export { errorCodes } from './error-codes.ts'
export type { Attempt, Outcome } from './errors.ts'
export {
  AbortedError,
  ApiError,
  ConnectionError,
  ContractError,
  IdempotencyConflictError,
  PiError,
} from './errors.ts'
export type { HandoffHandler, HandoffOptions, HandoffOrder, HandoffState } from './handoff.ts'
export { createHandoff } from './handoff.ts'
export type { CreateParams, KeyOptions } from './idempotency-key.ts'
export { idempotencyKey } from './idempotency-key.ts'
export type { Handoff } from './mask.ts'
export { newOrderId } from './order-id.ts'
export type { AttemptReport } from './policy.ts'
export type {
  OpenOrder,
  ReconcileOptions,
  ReconcileReport,
  ReconcileSummary,
} from './reconcile.ts'
export { reconcile } from './reconcile.ts'
export type { ExpectedIntent, Verdict } from './verify.ts'
export { verify } from './verify.ts'
