/** Public names of `@pi-checkout/server`. @module */
export {
  type Currency,
  currencies,
  formatMoney,
  isCurrency,
  toMinor,
} from '@pi-checkout/contract/money'
export type {
  Customer,
  Metadata,
  NextAction,
  PaymentFailure,
  PaymentIntent,
  PaymentMethod,
} from '@pi-checkout/contract/payment-intent'
export { type PaymentIntentStatus, type Phase, phaseOf } from '@pi-checkout/contract/payment-status'
export type { FieldError } from '@pi-checkout/contract/problem'
export { type Checkout, createCheckout } from './checkout/create-checkout.ts'
export type { ReconcileSummary } from './checkout/due-orders.ts'
export { memoryPayments } from './checkout/memory-payments.ts'
export type {
  AuthorizeQuery,
  CheckoutClient,
  CheckoutOptions,
  FullPage,
  PaidOrder,
  PaymentUnderReview,
} from './checkout/options.ts'
export type {
  Payment,
  PaymentRow,
  PaymentStatus,
  PaymentStore,
  ReviewReason,
} from './checkout/payment-record.ts'
export {
  type CheckoutOrder,
  type PaymentState,
  paymentState,
} from './checkout/payment-state.ts'
export { type HandoffProblemCode, HandoffRejection } from './checkout/problem.ts'
export {
  type SqlDialect,
  type SqlQuery,
  sqlPayments,
  sqlPaymentsTable,
} from './checkout/sql-payments.ts'
export type { CreateParams } from './client/create-params.ts'
export type { PiErrorCode } from './client/error-codes.ts'
export {
  ConfigurationError,
  InvalidParamsError,
  type Outcome,
  PiError,
  type PiErrorFacts,
} from './client/errors.ts'
export type { PaymentIntentsOptions } from './client/options.ts'
export {
  type CallOptions,
  type CreatedIntent,
  type CreateOptions,
  type Handoff,
  PaymentIntents,
} from './client/payment-intents.ts'
export type { ServiceResponse, Translate } from './client/translate.ts'
