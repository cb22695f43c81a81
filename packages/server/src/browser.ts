/**
 * What a browser bundle loads instead of this package: an error with the reason.
 *
 * It exports every name of the package. Otherwise the build of a page would fail with "does not provide an export named …".
 *
 * @module
 */
const rejected: never = reject()

function reject(): never {
  throw new Error(
    '@pi-checkout/server belongs on the server: it needs the secret API key. In the page use @pi-checkout/element, and let your server pass { id, clientSecret } with createCheckout().',
  )
}

export {
  rejected as ConfigurationError,
  rejected as cspFor,
  rejected as createCheckout,
  rejected as currencies,
  rejected as formatMoney,
  rejected as HandoffRejection,
  rejected as idempotencyKey,
  rejected as InvalidParamsError,
  rejected as isCurrency,
  rejected as memoryPayments,
  rejected as PaymentIntents,
  rejected as PiError,
  rejected as paymentState,
  rejected as phaseOf,
  rejected as sqlPayments,
  rejected as sqlPaymentsTable,
  rejected as toMinor,
  rejected as verify,
}
