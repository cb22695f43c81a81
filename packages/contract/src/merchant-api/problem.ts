/** An error response (RFC 9457) and its error codes. @module */

export const problemMediaType = 'application/problem+json'

/** Each code with its HTTP status, its title, and whether the same request may succeed later. */
export const problemCodes = {
  malformed_json: { status: 400, title: 'The body is not JSON', retryable: false },
  invalid_body: { status: 400, title: 'The body is not acceptable JSON', retryable: false },
  validation_failed: { status: 400, title: 'A field is invalid', retryable: false },
  unknown_parameter: { status: 400, title: 'A field is unknown', retryable: false },
  invalid_idempotency_key: { status: 400, title: 'Invalid Idempotency-Key', retryable: false },
  invalid_header: { status: 400, title: 'A header is invalid', retryable: false },
  invalid_host: { status: 400, title: 'The Host is not that of this service', retryable: false },
  card_not_accepted: { status: 400, title: 'The card is not a test card', retryable: false },
  missing_credentials: { status: 401, title: 'No secret API key was sent', retryable: false },
  invalid_credentials: { status: 401, title: 'The secret API key is unknown', retryable: false },
  revoked_credentials: { status: 401, title: 'The secret API key was revoked', retryable: false },
  invalid_session: { status: 401, title: 'The checkout session has expired', retryable: false },
  invalid_admin_token: { status: 401, title: 'The admin token is unknown', retryable: false },
  secret_key_in_browser: { status: 403, title: 'A browser sent a secret key', retryable: false },
  origin_not_allowed: { status: 403, title: 'The origin is not registered', retryable: false },
  not_found: { status: 404, title: 'This address does not exist', retryable: false },
  payment_intent_not_found: { status: 404, title: 'No such Payment Intent', retryable: false },
  method_not_allowed: { status: 405, title: 'The method is not allowed here', retryable: false },
  request_timeout: { status: 408, title: 'The request did not arrive in time', retryable: true },
  idempotency_key_in_use: { status: 409, title: 'The first request is running', retryable: true },
  intent_finalized: { status: 409, title: 'The Payment Intent is final', retryable: false },
  version_conflict: { status: 409, title: 'The Payment Intent was changed', retryable: false },
  confirmation_in_progress: {
    status: 409,
    title: 'Another confirmation is in progress',
    retryable: false,
  },
  payload_too_large: { status: 413, title: 'The body is too large', retryable: false },
  unsupported_media_type: { status: 415, title: 'The body is not UTF-8 JSON', retryable: false },
  idempotency_key_reused: { status: 422, title: 'The key was used before', retryable: false },
  rate_limited: { status: 429, title: 'Too many requests', retryable: true },
  internal_error: { status: 500, title: 'The service failed', retryable: true },
  store_unavailable: { status: 503, title: 'The store is not available', retryable: true },
  timeout: { status: 504, title: 'The work did not finish in time', retryable: true },
} as const satisfies Record<
  string,
  { readonly status: number; readonly title: string; readonly retryable: boolean }
>

export type ProblemCode = keyof typeof problemCodes

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
  'unknown_parameter',
] as const

export type FieldErrorCode = (typeof fieldErrorCodes)[number]

/** Maximum number of field errors in a response. `errorsOmitted` counts the others. */
export const maxFieldErrors = 20

/** Maximum length of a name in a field's path, in code points. A longer name ends with `…`. */
export const maxNameLength = 64

/** An invalid field: its path, the rule, and the fix. It does not contain the value. */
export interface FieldError {
  /** JSON Pointer (RFC 6901) to the field. Names over 64 characters are cut. */
  readonly pointer: string
  readonly code: string
  readonly detail: string
}

/**
 * An error response as a client reads it. Only `code` is required.
 *
 * @see RFC 9457
 */
export interface Problem {
  readonly type?: string | undefined
  readonly title?: string | undefined
  readonly status?: number | undefined
  readonly detail?: string | undefined
  readonly code: string
  readonly requestId?: string | undefined
  readonly retryable?: boolean | undefined
  /** At most 20. */
  readonly errors?: readonly FieldError[] | undefined
  /** Number of invalid fields that `errors` does not list. Absent if it lists all of them. */
  readonly errorsOmitted?: number | undefined
}
