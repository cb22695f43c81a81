/** Names of the contract that need zod, and those of the merchant API. @module */
export type { Currency } from './merchant-api/money.ts'
export { currencies } from './merchant-api/money.ts'
export type {
  CreatedPaymentIntent,
  CreatePaymentIntent,
  Customer,
  Metadata,
  PaymentFailure,
  PaymentIntent,
  PaymentMethod,
} from './merchant-api/payment-intent.ts'
export {
  CreatedPaymentIntentSchema,
  CreatePaymentIntentSchema,
  controlCharacters,
  orderIdError,
  PaymentIntentSchema,
} from './merchant-api/payment-intent-schema.ts'
export type { PaymentIntentStatus, Phase } from './merchant-api/payment-status.ts'
export {
  isFinal,
  ownProfileName,
  paymentIntentStatuses,
  phaseOf,
} from './merchant-api/payment-status.ts'
export type { FieldError, FieldErrorCode, Problem, ProblemCode } from './merchant-api/problem.ts'
export {
  fieldErrorCodes,
  maxFieldErrors,
  problemCodes,
  problemMediaType,
} from './merchant-api/problem.ts'
export type { FieldErrors } from './merchant-api/problem-schema.ts'
export { fieldAt, fieldErrors, ProblemSchema } from './merchant-api/problem-schema.ts'
export { headers, routes } from './merchant-api/routes.ts'
export {
  apiKeyPattern,
  keyCheckId,
  limits,
  paymentIntentIdPattern,
} from './merchant-api/spec-decisions.ts'
