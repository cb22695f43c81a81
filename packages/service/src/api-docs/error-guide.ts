/** Fixes for errors. @module */
import type { ProblemCode } from '@pi-checkout/contract'

export const errorGuide: Readonly<Record<ProblemCode, string>> = {
  malformed_json: 'Send a JSON object. Check what your client serializes.',
  invalid_body:
    'Send one JSON object in UTF-8, with each name once and at most 5 levels. The detail names the rule.',
  validation_failed: 'Correct the fields in errors. Each entry has a pointer and a detail.',
  unknown_parameter: 'Remove or correct the field in errors. Names are camelCase.',
  invalid_idempotency_key: 'Send the header once, with 1 to 255 visible ASCII characters.',
  invalid_header: 'Send the header that the detail names once, with a valid value.',
  unsupported_api_version: 'Omit Api-Version, or send a version that the detail lists.',
  invalid_host: 'Use the service’s address, or set PI_PUBLIC_URL and PI_CHALLENGE_URL.',
  card_not_accepted: 'Use a test card. Other card numbers are not accepted.',
  missing_credentials: 'Send Authorization: Bearer and your secret API key.',
  invalid_credentials:
    'Check that the key is complete and belongs to this service. pi-service keys list shows the last characters of each key.',
  revoked_credentials: 'Create another key with pi-service keys create and replace this one.',
  invalid_session: 'No action. The hosted page opens a new session and keeps the entered card.',
  invalid_admin_token: 'Use the token that the running service printed at its start.',
  secret_key_in_browser:
    'Call from your server, send only id and clientSecret to the page, and revoke the exposed key.',
  origin_not_allowed: 'Register the page’s exact origin with pi-service origins add.',
  not_found: 'Check the path: it is case-sensitive and has no trailing slash.',
  payment_intent_not_found:
    'Check the id, and use a key of the merchant and environment that created the intent.',
  method_not_allowed: 'Use a method that the Allow header lists.',
  request_timeout: 'Send the same request again with the same Idempotency-Key.',
  idempotency_key_in_use: 'Wait for the seconds in Retry-After, then send the same request again.',
  intent_finalized: 'Retrieve the intent, which is final. Create a new intent for a new attempt.',
  version_conflict: 'Retrieve the intent again, then retry if its status still allows it.',
  attempt_in_progress: 'Wait for the result of the running confirmation.',
  payload_too_large: 'Send at most 64 KB. Use metadata for references, not for documents.',
  unsupported_media_type: 'Send Content-Type: application/json, uncompressed.',
  unsupported_transfer_encoding: 'Send the body with Content-Length, or in chunks.',
  idempotency_key_reused: 'Use a new key for a new request. Reuse a key only with the same body.',
  rate_limited: 'Wait for the seconds in Retry-After, then send the same request again.',
  internal_error: 'Send the same request again with the same Idempotency-Key.',
  store_unavailable:
    'The write may have been committed. Send the same request again after Retry-After with the same Idempotency-Key.',
  timeout: 'Send the same request again with the same Idempotency-Key.',
}
