/**
 * An error on the wire (RFC 9457) and the closed lists of its codes. No zod here.
 *
 * @module
 */
/** Media type of every error answer. */
export const problemMediaType = 'application/problem+json'

/** Every code with its HTTP status, a title, and whether the same request may succeed later. */
export const problemCodes = {
  malformed_json: { status: 400, title: 'The body is not JSON', retryable: false },
  invalid_body: { status: 400, title: 'The body is not acceptable JSON', retryable: false },
  validation_failed: { status: 400, title: 'A field breaks its rule', retryable: false },
  unknown_parameter: { status: 400, title: 'A field is not known here', retryable: false },
  invalid_idempotency_key: {
    status: 400,
    title: 'The Idempotency-Key is not acceptable',
    retryable: false,
  },
  invalid_header: { status: 400, title: 'A header is not acceptable', retryable: false },
  unsupported_api_version: { status: 400, title: 'The Api-Version is not known', retryable: false },
  invalid_host: { status: 400, title: 'The Host is not this service', retryable: false },
  card_not_accepted: {
    status: 400,
    title: 'The card is not one of the test cards',
    retryable: false,
  },
  missing_credentials: { status: 401, title: 'No secret API key was sent', retryable: false },
  invalid_credentials: { status: 401, title: 'The secret API key is not known', retryable: false },
  revoked_credentials: { status: 401, title: 'The secret API key was revoked', retryable: false },
  invalid_session: { status: 401, title: 'The checkout session is over', retryable: false },
  invalid_admin_token: { status: 401, title: 'The admin token is not known', retryable: false },
  secret_key_in_browser: {
    status: 403,
    title: 'A secret API key was used in a browser',
    retryable: false,
  },
  origin_not_allowed: { status: 403, title: 'The origin is not registered', retryable: false },
  not_found: { status: 404, title: 'There is nothing at this address', retryable: false },
  payment_intent_not_found: {
    status: 404,
    title: 'There is no such Payment Intent',
    retryable: false,
  },
  method_not_allowed: { status: 405, title: 'The method is not allowed here', retryable: false },
  request_timeout: { status: 408, title: 'The request did not arrive in time', retryable: true },
  idempotency_key_in_use: {
    status: 409,
    title: 'The first request with this key is still running',
    retryable: true,
  },
  intent_finalized: { status: 409, title: 'The Payment Intent is final', retryable: false },
  version_conflict: { status: 409, title: 'The Payment Intent has moved on', retryable: false },
  attempt_in_progress: { status: 409, title: 'Another attempt is in progress', retryable: false },
  payload_too_large: { status: 413, title: 'The body is too large', retryable: false },
  unsupported_media_type: {
    status: 415,
    title: 'The body is not application/json in UTF-8',
    retryable: false,
  },
  idempotency_key_reused: {
    status: 422,
    title: 'The Idempotency-Key was used with another body',
    retryable: false,
  },
  rate_limited: { status: 429, title: 'Too many requests', retryable: true },
  internal_error: { status: 500, title: 'The service failed', retryable: true },
  unsupported_transfer_encoding: {
    status: 501,
    title: 'The Transfer-Encoding is not supported',
    retryable: false,
  },
  store_unavailable: { status: 503, title: 'The store is not available', retryable: true },
  timeout: { status: 504, title: 'The work did not finish in time', retryable: true },
} as const satisfies Record<
  string,
  { readonly status: number; readonly title: string; readonly retryable: boolean }
>

export type ProblemCode = keyof typeof problemCodes

/** Every code of one field's fault. */
export const fieldErrorCodes = [
  'required',
  'invalid_type',
  'invalid_format',
  'not_supported',
  'not_an_integer',
  'too_small',
  'too_big',
  'too_short',
  'too_long',
  'too_many',
  'forbidden_character',
  'forbidden_key',
  'lossy_number',
  'duplicate_name',
  'unknown_parameter',
] as const

export type FieldErrorCode = (typeof fieldErrorCodes)[number]

/** The most entries that an error response lists; `errorsOmitted` counts the rest. */
export const maxFieldErrors = 20

/** Longest part of a field's path that a response repeats, in code points; the rest becomes `…`. */
export const maxNameLength = 64

/** One field's fault: where (RFC 6901), which rule, and what to do. It never repeats the value. */
export interface FieldError {
  /** JSON Pointer to the field. A name of more than 64 characters is cut and ends with `…`. */
  pointer: string
  code: string
  detail: string
  [field: string]: unknown
}

/**
 * An error answer as a client reads it: only what it needs is required.
 *
 * @see RFC 9457
 */
export interface Problem {
  type?: string | undefined
  title?: string | undefined
  status?: number | undefined
  detail?: string | undefined
  code: string
  requestId?: string | undefined
  retryable?: boolean | undefined
  /** At most 20. */
  errors?: FieldError[] | undefined
  /** Number of wrong fields that `errors` does not list; absent when it lists all of them. */
  errorsOmitted?: number | undefined
  [field: string]: unknown
}
