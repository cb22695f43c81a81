/** Codes of a `PiError`, and what to do. @module */
import { type ProblemCode, problemCodes } from '@pi-checkout/contract/problem'

/** Codes that the service returns to browsers and operators only. */
type BrowserProblemCode =
  | 'confirmation_in_progress'
  | 'card_not_accepted'
  | 'intent_finalized'
  | 'invalid_admin_token'
  | 'invalid_session'
  | 'origin_not_allowed'
  | 'version_conflict'

/**
 * Code of a `PiError`: a code of the service; `unexpected_response` for an error of the service that this version does not
 * support; or what happened to the request or its response.
 */
export type PiErrorCode =
  | Exclude<ProblemCode, BrowserProblemCode>
  | 'unexpected_response'
  | 'not_connected'
  | 'connection_lost'
  | 'timed_out'
  | 'redirect_refused'
  | 'not_json'
  | 'response_too_large'
  | 'contract_broken'
  | 'unknown_service'

const again = 'call again with the same arguments: the same key finds an existing intent'
const later = 'call again later with the same arguments'
const service = 'check that PI_BASE_URL is the service, not a proxy or a login page'
const bodies = 'look for a proxy that changes bodies'
const headers = 'look for a proxy that changes headers'
const path = 'check the path in PI_BASE_URL'
const field = 'read errors, fix the field, call again'

export const advices: Readonly<Record<PiErrorCode, string>> = {
  not_connected:
    'check PI_BASE_URL and the network, for a private certificate authority set NODE_EXTRA_CA_CERTS, then call again with the same arguments',
  connection_lost: again,
  timed_out: again,
  redirect_refused: 'set PI_BASE_URL to the final address of the service',
  not_json: service,
  response_too_large: service,
  contract_broken:
    'do not use the response; check your translate function, or report the requestId to the service',
  unknown_service:
    'check PI_BASE_URL; for a service other than @pi-checkout/service pass translate to new PaymentIntents()',
  unexpected_response: 'read status; retry only if retryable',
  malformed_json: bodies,
  invalid_body: bodies,
  validation_failed: field,
  unknown_parameter: field,
  invalid_idempotency_key: headers,
  invalid_header: `${headers}; check the spelling of Sandbox-Fault`,
  invalid_host: 'set PI_BASE_URL to the public address of the service',
  missing_credentials: headers,
  invalid_credentials: 'set PI_API_KEY to a key of the service at PI_BASE_URL',
  revoked_credentials: 'set PI_API_KEY to a current key',
  secret_key_in_browser: 'call from the server only, and revoke that key',
  not_found: path,
  payment_intent_not_found: 'check the id, and that a key of the same environment created it',
  method_not_allowed: path,
  request_timeout: again,
  idempotency_key_in_use: later,
  idempotency_key_reused: bodies,
  payload_too_large: 'shorten metadata',
  unsupported_media_type: headers,
  rate_limited: later,
  internal_error: `${later}; report the requestId`,
  store_unavailable: later,
  timeout: later,
}

export function isProblemCode(code: unknown): code is ProblemCode {
  return typeof code === 'string' && Object.hasOwn(problemCodes, code)
}

/** Returns the code of a problem, or `unexpected_response` if this version does not support it. */
export function knownCode(code: unknown): PiErrorCode {
  return isProblemCode(code) && code in advices ? (code as PiErrorCode) : 'unexpected_response'
}
