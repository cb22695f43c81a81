/**
 * Stands where a browser bundle looks for this package, and says why it must not be there.
 *
 * It has every name of the real one, so that a page's build succeeds and its first load explains
 * itself, instead of ending in "does not provide an export named …".
 *
 * @module
 */
const refused: never = refuse()

function refuse(): never {
  throw new Error(
    '@pi-checkout/server belongs on the server: it holds the secret API key. In the page use @pi-checkout/element, and let your server hand it { id, clientSecret } by createHandoff().',
  )
}

export {
  refused as AbortedError,
  refused as ApiError,
  refused as ConnectionError,
  refused as ContractError,
  refused as cspFor,
  refused as createHandoff,
  refused as currencies,
  refused as errorCodes,
  refused as formatMoney,
  refused as HandoffRejection,
  refused as IdempotencyConflictError,
  refused as idempotencyKey,
  refused as isCurrency,
  refused as newOrderId,
  refused as PaymentIntents,
  refused as PiError,
  refused as phaseOf,
  refused as reconcile,
  refused as toMinor,
  refused as verify,
}
