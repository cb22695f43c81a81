/** Public names of `@pi-checkout/server`. @module */
export type { Currency } from '@pi-checkout/contract/money'
export { currencies, formatMoney, isCurrency, toMinor } from '@pi-checkout/contract/money'
export type {
  Customer,
  Metadata,
  NextAction,
  PaymentFailure,
  PaymentIntent,
  PaymentMethod,
} from '@pi-checkout/contract/payment-intent'
export type { FieldError } from '@pi-checkout/contract/problem'
export type { PaymentIntentStatus, Phase } from '@pi-checkout/contract/spec-decisions'
export { phaseOf } from '@pi-checkout/contract/spec-decisions'
export type { CreateParams } from './client/create-params.ts'
export type {
  ApiErrorCode,
  ConnectionErrorCode,
  ContractErrorCode,
  PiErrorCode,
} from './client/error-codes.ts'
export { errorCodes } from './client/error-codes.ts'
export type { Outcome, PiErrorFacts, PiFailure, RequestSummary } from './client/errors.ts'
export {
  AbortedError,
  ApiError,
  ConfigurationError,
  ConnectionError,
  ContractError,
  IdempotencyConflictError,
  InvalidParamsError,
  PiError,
} from './client/errors.ts'
export type { KeyOptions } from './client/idempotency-key.ts'
export { idempotencyKey } from './client/idempotency-key.ts'
export { newOrderId } from './client/new-order-id.ts'
export type { RequestReport } from './client/options.ts'
export type {
  CallOptions,
  CreatedIntent,
  CreateOptions,
  Handoff,
  PaymentIntentsOptions,
} from './client/payment-intents.ts'
export { PaymentIntents } from './client/payment-intents.ts'
export { raw } from './client/raw.ts'
export type { HandoffHandler, HandoffMembers } from './handoff/create-handoff.ts'
export { createHandoff } from './handoff/create-handoff.ts'
export type { CspOptions } from './handoff/csp.ts'
export { cspFor } from './handoff/csp.ts'
export type {
  CreatedForOrder,
  HandoffClient,
  HandoffOptions,
  HandoffOrder,
  HookRequest,
  OpenOrder,
  OrderQuery,
  ResumeCookieOptions,
  Settlement,
} from './handoff/options.ts'
export type { HandoffProblemCode } from './handoff/problem.ts'
export { HandoffRejection } from './handoff/problem.ts'
export type { ReconcileOptions, ReconcileReport, ReconcileSummary } from './handoff/reconcile.ts'
export type { ExpectedIntent } from './handoff/verify.ts'
export { verify } from './handoff/verify.ts'
