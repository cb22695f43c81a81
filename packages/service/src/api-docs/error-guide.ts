/**
 * What to do about each error.
 *
 * @module
 */
import type { ProblemCode } from '@pi-checkout/contract'

/** Advice for each code, for the developer of the client. */
export const errorGuide: Readonly<Record<ProblemCode, string>> = {
  malformed_json: 'Send a JSON object; check what your client serializes.',
  invalid_body:
    'Send one JSON object in UTF-8, each name once, at most 5 levels deep. The detail names the rule.',
  validation_failed: 'Read errors: each names a field by its pointer, the rule and the fix.',
  unknown_parameter: 'Remove or correct the field that errors points at; names are camelCase.',
  invalid_idempotency_key: 'Send the header once, with 1 to 255 visible ASCII characters.',
  invalid_header: 'Send the header that the detail names once, with a value of its rule.',
  unsupported_api_version: 'Leave Api-Version out, or send a version that the detail lists.',
  invalid_host: 'Use the service’s own address, or set PI_PUBLIC_URL and PI_CHALLENGE_URL.',
  card_not_accepted: 'Use a test card. A real card number is never accepted here.',
  missing_credentials: 'Send Authorization: Bearer and your secret API key.',
  invalid_credentials:
    'Check that the key is complete and belongs to this service. pi-service keys list shows the last characters of each key.',
  revoked_credentials: 'Create another key with pi-service keys create and replace this one.',
  invalid_session: 'Nothing. The hosted page opens a new session and keeps the typed card.',
  invalid_admin_token: 'Use the token that the running service printed at its start.',
  secret_key_in_browser:
    'Call from your server, send the page only id and clientSecret, and revoke the exposed key.',
  origin_not_allowed: 'Register the page’s exact origin with pi-service origins add.',
  not_found: 'Check the path: it is case-sensitive and has no trailing slash.',
  payment_intent_not_found:
    'Check the id, and use a key of the merchant and environment that created the intent.',
  method_not_allowed: 'Use a method that the Allow header lists.',
  request_timeout: 'Send the same request again, with the same Idempotency-Key.',
  idempotency_key_in_use: 'Wait for the seconds in Retry-After, then send the same request again.',
  intent_finalized: 'Retrieve the intent: it is final. Create a new intent for a new attempt.',
  version_conflict: 'Retrieve the intent again, then decide again.',
  attempt_in_progress: 'Wait for the result of the running confirmation.',
  payload_too_large: 'Keep the body under 64 KB; metadata is for references, not for documents.',
  unsupported_media_type: 'Send Content-Type: application/json, uncompressed.',
  unsupported_transfer_encoding: 'Send the body with Content-Length, or in chunks.',
  idempotency_key_reused:
    'Use a new key for a new request. The same key is for the same body only.',
  rate_limited: 'Wait for the seconds in Retry-After, then send the same request again.',
  internal_error: 'Send the same request again, with the same Idempotency-Key.',
  store_unavailable:
    'The write may have been committed. Send the same request again after Retry-After, with the same Idempotency-Key.',
  timeout: 'Send the same request again, with the same Idempotency-Key.',
}
