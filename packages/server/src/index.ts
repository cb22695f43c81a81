/**
 * The public names of the merchant's half.
 *
 * @module
 */
export type { Currency } from '@pi-checkout/contract/money'
export { currencies, formatMoney, isCurrency, toMinor } from '@pi-checkout/contract/money'
export type {
  Customer,
  Metadata,
  PaymentFailure,
  PaymentIntent,
  PaymentMethod,
} from '@pi-checkout/contract/payment-intent'
export type { FieldError } from '@pi-checkout/contract/problem'
export type { PaymentIntentPhase, PaymentIntentStatus } from '@pi-checkout/contract/spec-decisions'
export { phaseOf } from '@pi-checkout/contract/spec-decisions'
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
export type { HandoffProblemCode } from './handoff-problem.ts'
export { HandoffRejection } from './handoff-problem.ts'
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
