/**
 * The closed list of what can go wrong: what each code means, and what to do now.
 *
 * @module
 */
import type { ProblemCode } from '@pi-checkout/contract/problem'

/** Every code of a `PiError`, with its meaning and what to do. The README's table is this one. */
export const errorCodes = {
  not_connected: {
    meaning: 'the service could not be reached: name, port or network',
    advice: 'check PI_BASE_URL and the network, then call again with the same arguments',
  },
  tls_failed: {
    meaning: 'the TLS handshake failed: certificate, host name or protocol; not tried again',
    advice:
      'check PI_BASE_URL; for a certificate authority of your own set NODE_EXTRA_CA_CERTS, or pass agent',
  },
  connection_lost: {
    meaning: 'the connection broke before the whole answer was read',
    advice: 'call again with the same arguments: the same key finds an intent that was made',
  },
  timed_out: {
    meaning: 'no complete answer within the timeout or the deadline',
    advice: 'call again with the same arguments: the same key finds an intent that was made',
  },
  aborted: {
    meaning: 'the given signal was aborted',
    advice: 'nothing, or call again with the same arguments when the intent is wanted after all',
  },
  redirect_refused: {
    meaning: 'the answer was a redirect, which would carry body and key to another address',
    advice: 'set PI_BASE_URL to the final address of the service',
  },
  not_json: {
    meaning: 'the answer claimed success but is not JSON',
    advice: 'check that PI_BASE_URL is the service and no proxy or login page answers for it',
  },
  answer_too_large: {
    meaning: 'the answer is larger than 256 KB',
    advice: 'check that PI_BASE_URL is the service',
  },
  contract_broken: {
    meaning: 'the answer lacks a field or is about another order, amount or currency',
    advice: 'hand out nothing; report the requestId to the service',
  },
  unexpected_answer: {
    meaning: 'the service refused without a code that this version knows',
    advice: 'read status; repeat only if retryable',
  },
  malformed_json: {
    meaning: 'the service could not read the body as JSON',
    advice: 'look for a proxy that changes bodies',
  },
  invalid_body: {
    meaning: 'the service read the body as JSON that it does not accept',
    advice: 'look for a proxy that changes bodies',
  },
  validation_failed: {
    meaning: 'a field breaks a rule of the service',
    advice: 'read errors, fix the field, call again',
  },
  unknown_parameter: {
    meaning: 'the service does not know a field',
    advice: 'read errors, remove the field, call again',
  },
  invalid_idempotency_key: {
    meaning: 'the service does not accept the idempotency key',
    advice: 'pass 1 to 255 visible ASCII characters, or no key at all',
  },
  invalid_header: {
    meaning:
      'a header was doubled or malformed on the way, or names a sandbox fault that there is none of',
    advice: 'look for a proxy that changes headers, or at the spelling of Sandbox-Fault',
  },
  unsupported_api_version: {
    meaning: 'the service does not know the Api-Version that was sent',
    advice: 'look for a proxy that adds the header',
  },
  invalid_host: {
    meaning: 'the service does not answer to this host name',
    advice: 'set PI_BASE_URL to the address that the service gives',
  },
  missing_credentials: {
    meaning: 'no API key arrived',
    advice: 'look for a proxy that removes Authorization',
  },
  invalid_credentials: {
    meaning: 'the API key is not known to this service',
    advice: 'set PI_API_KEY to a key of the service at PI_BASE_URL',
  },
  revoked_credentials: {
    meaning: 'the API key was revoked',
    advice: 'set PI_API_KEY to a current key',
  },
  secret_key_in_browser: {
    meaning: 'the service saw a secret key come from a browser',
    advice: 'call from the server only, and revoke that key',
  },
  not_found: {
    meaning: 'the service has nothing at this address',
    advice: 'check the path in PI_BASE_URL',
  },
  payment_intent_not_found: {
    meaning: 'no such intent is visible to this key',
    advice: 'check the id and that it was made with a key of the same environment',
  },
  method_not_allowed: {
    meaning: 'the address does not take this method',
    advice: 'check the path in PI_BASE_URL',
  },
  request_timeout: {
    meaning: 'the service waited too long for the request',
    advice: 'call again with the same arguments',
  },
  idempotency_key_in_use: {
    meaning: 'the first call with this key is still running',
    advice: 'call again with the same arguments a little later',
  },
  idempotency_key_reused: {
    meaning: 'this key was used with another body',
    advice: 'drop idempotencyKey, so that the key follows the body; for a new try raise attempt',
  },
  payload_too_large: {
    meaning: 'the body is larger than the service takes',
    advice: 'shorten metadata',
  },
  unsupported_media_type: {
    meaning: 'the service did not see JSON in UTF-8',
    advice: 'look for a proxy that changes headers',
  },
  unsupported_transfer_encoding: {
    meaning: 'the body came with a transfer coding other than chunked',
    advice: 'look for a proxy that changes headers',
  },
  rate_limited: {
    meaning: 'too many requests, also after waiting',
    advice: 'call again later with the same arguments',
  },
  internal_error: {
    meaning: 'the service failed, also when tried again',
    advice: 'call again later with the same arguments; report the requestId',
  },
  store_unavailable: {
    meaning: 'the store of the service was not available, also when tried again',
    advice: 'call again later with the same arguments',
  },
  timeout: {
    meaning: 'the service did not finish in time, also when tried again',
    advice: 'call again later with the same arguments',
  },
} as const satisfies Record<string, { readonly meaning: string; readonly advice: string }>

/** The closed list of what a `PiError` may say. */
export type PiErrorCode = keyof typeof errorCodes

/** Reads a problem's code into the closed list. */
export function knownCode(code: string | undefined): PiErrorCode {
  return code !== undefined && Object.hasOwn(errorCodes, code)
    ? (code as PiErrorCode) // `hasOwn` just said so.
    : 'unexpected_answer'
}

// Codes that the service gives to browsers and operators only; a new one must be sorted in here.
type OtherCode =
  | 'attempt_in_progress'
  | 'card_not_accepted'
  | 'intent_finalized'
  | 'invalid_admin_token'
  | 'invalid_session'
  | 'origin_not_allowed'
  | 'version_conflict'
type Unsorted = Exclude<ProblemCode, PiErrorCode | OtherCode>
const allSorted: Unsorted extends never ? true : never = true
void allSorted
