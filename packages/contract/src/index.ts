/**
 * The public names of the contract: the one shared truth of helper, element and service.
 *
 * @module
 */
export type { Currency } from './money.ts'
export { currencies, formatMoney, isCurrency, minorUnitDigits, toMinor } from './money.ts'
export type { PaymentIntentPhase, PaymentIntentStatus } from './open-choices.ts'
export {
  apiKeyPattern,
  apiVersions,
  challengeAnswers,
  finalStatuses,
  isFinal,
  limits,
  paymentIntentIdPattern,
  paymentIntentStatuses,
  phaseOf,
  statusesBeforeMethod,
} from './open-choices.ts'
export { orderIdFault } from './order-id.ts'
export type { Customer, Metadata } from './payment-intent.ts'
export {
  CreatedPaymentIntent,
  CreatePaymentIntent,
  NextAction,
  PaymentFailure,
  PaymentIntent,
  PaymentMethod,
} from './payment-intent-schema.ts'
export type { FieldErrorCode, ProblemCode } from './problem.ts'
export {
  fieldErrorCodes,
  maxFieldErrors,
  maxNameLength,
  problemCodes,
  problemMediaType,
} from './problem.ts'
export type { FieldErrors } from './problem-schema.ts'
export { FieldError, fieldAt, fieldErrors, Problem } from './problem-schema.ts'
export { headers, routes } from './routes.ts'
