/** Codes of a `PiError`: what each means, and what to do. @module */
import { type ProblemCode, problemCodes } from '@pi-checkout/contract/problem'

/** Each code of a `PiError`, with its meaning and what to do. The README contains the same table. */
export const errorCodes = describeCodes({
  not_connected: {
    meaning: 'the service could not be reached: name, port, or network',
    advice: 'check PI_BASE_URL and the network, then call again with the same arguments',
  },
  tls_failed: {
    meaning: 'the TLS handshake failed: certificate, host name, or protocol; not retried',
    advice:
      'check PI_BASE_URL; for a private certificate authority set NODE_EXTRA_CA_CERTS, or pass agent',
  },
  connection_lost: {
    meaning: 'the connection broke before the response was complete',
    advice: 'call again with the same arguments: the same key finds an existing intent',
  },
  timed_out: {
    meaning: 'no complete response within timeout or totalTimeout',
    advice: 'call again with the same arguments: the same key finds an existing intent',
  },
  aborted: {
    meaning: 'the given signal was aborted',
    advice: 'nothing, or call again with the same arguments if you still need the intent',
  },
  redirect_refused: {
    meaning: 'the response was a redirect, which would send body and key to another address',
    advice: 'set PI_BASE_URL to the final address of the service',
  },
  not_json: {
    meaning: 'the response has a success status but is not JSON',
    advice: 'check that PI_BASE_URL is the service, not a proxy or a login page',
  },
  response_too_large: {
    meaning: 'the response is larger than 256 KB',
    advice: 'check that PI_BASE_URL is the service',
  },
  contract_broken: {
    meaning: 'the response lacks a field, or has another order, amount, or currency',
    advice: 'do not use the response; report the requestId to the service',
  },
  unexpected_response: {
    meaning: 'the service rejected the request with an unknown code',
    advice: 'read status; retry only if retryable',
  },
  malformed_json: {
    meaning: 'the service could not read the body as JSON',
    advice: 'look for a proxy that changes bodies',
  },
  invalid_body: {
    meaning: 'the service does not accept the JSON of the body',
    advice: 'look for a proxy that changes bodies',
  },
  validation_failed: {
    meaning: 'a field is invalid',
    advice: 'read errors, fix the field, call again',
  },
  unknown_parameter: {
    meaning: 'the service does not have a field',
    advice: 'read errors, remove the field, call again',
  },
  invalid_idempotency_key: {
    meaning: 'the service does not accept the idempotency key',
    advice: 'pass 1 to 255 visible ASCII characters, or no key',
  },
  invalid_header: {
    meaning: 'a header is duplicated or malformed, or names an unknown sandbox fault',
    advice: 'look for a proxy that changes headers; check the spelling of Sandbox-Fault',
  },
  unsupported_api_version: {
    meaning: 'the service does not support the Api-Version',
    advice: 'look for a proxy that adds the header',
  },
  invalid_host: {
    meaning: 'the service does not accept this host name',
    advice: 'set PI_BASE_URL to the public address of the service',
  },
  missing_credentials: {
    meaning: 'no API key arrived',
    advice: 'look for a proxy that removes Authorization',
  },
  invalid_credentials: {
    meaning: 'the service does not have this API key',
    advice: 'set PI_API_KEY to a key of the service at PI_BASE_URL',
  },
  revoked_credentials: {
    meaning: 'the API key was revoked',
    advice: 'set PI_API_KEY to a current key',
  },
  secret_key_in_browser: {
    meaning: 'a browser sent a secret key',
    advice: 'call from the server only, and revoke that key',
  },
  not_found: { meaning: 'the service has no such path', advice: 'check the path in PI_BASE_URL' },
  payment_intent_not_found: {
    meaning: 'no such intent exists for this key',
    advice: 'check the id and that it was created with a key of the same environment',
  },
  method_not_allowed: {
    meaning: 'the path does not accept this method',
    advice: 'check the path in PI_BASE_URL',
  },
  request_timeout: {
    meaning: 'the request did not arrive in time',
    advice: 'call again with the same arguments',
  },
  idempotency_key_in_use: {
    meaning: 'the first call with this key is still running',
    advice: 'call again with the same arguments after a short wait',
  },
  idempotency_key_reused: {
    meaning: 'this key was used with a different body',
    advice:
      'omit idempotencyKey, so that the key is derived from the body; for a new intent raise attempt',
  },
  payload_too_large: {
    meaning: 'the body is larger than the service accepts',
    advice: 'shorten metadata',
  },
  unsupported_media_type: {
    meaning: 'the body did not arrive as JSON in UTF-8',
    advice: 'look for a proxy that changes headers',
  },
  unsupported_transfer_encoding: {
    meaning: 'the body has a transfer coding other than chunked',
    advice: 'look for a proxy that changes headers',
  },
  rate_limited: {
    meaning: 'too many requests, also after retries',
    advice: 'call again later with the same arguments',
  },
  internal_error: {
    meaning: 'the service failed, also after retries',
    advice: 'call again later with the same arguments; report the requestId',
  },
  store_unavailable: {
    meaning: 'the store of the service was not available, also after retries',
    advice: 'call again later with the same arguments',
  },
  timeout: {
    meaning: 'the service did not finish in time, also after retries',
    advice: 'call again later with the same arguments',
  },
})

/** Code of a `PiError`. */
export type PiErrorCode = keyof typeof errorCodes

interface ErrorText {
  readonly meaning: string
  readonly advice: string
}

// The type has the codes without their texts, so that a better text does not change the public API.
function describeCodes<Code extends string>(
  texts: Readonly<Record<Code, ErrorText>>,
): Readonly<Record<Code, ErrorText>> {
  return texts
}

/** Code of a `ConnectionError`. */
export type ConnectionErrorCode = 'not_connected' | 'tls_failed' | 'connection_lost' | 'timed_out'

/** Code of a `ContractError`. */
export type ContractErrorCode =
  | 'redirect_refused'
  | 'not_json'
  | 'response_too_large'
  | 'contract_broken'

/** Code of an `ApiError`. */
export type ApiErrorCode = Exclude<
  PiErrorCode,
  ConnectionErrorCode | ContractErrorCode | 'aborted' | 'idempotency_key_reused'
>

/** Returns the code of a problem, or `unexpected_response` if this version does not support it. */
export function knownCode(code: string | undefined): ApiErrorCode | 'idempotency_key_reused' {
  return code !== undefined && Object.hasOwn(problemCodes, code) && Object.hasOwn(errorCodes, code)
    ? (code as ApiErrorCode | 'idempotency_key_reused') // A key of both records.
    : 'unexpected_response'
}

// The service returns these codes to browsers and operators only. The compiler requires each new code in one of the lists.
type OtherCode =
  | 'attempt_in_progress'
  | 'card_not_accepted'
  | 'intent_finalized'
  | 'invalid_admin_token'
  | 'invalid_session'
  | 'origin_not_allowed'
  | 'version_conflict'
type Missing = Exclude<ProblemCode, PiErrorCode | OtherCode>
const complete: Missing extends never ? true : never = true
void complete
