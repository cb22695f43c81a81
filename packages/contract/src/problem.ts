/**
 * An error on the wire (RFC 9457), the closed list of its codes, and what is wrong with a field.
 *
 * @module
 */
import { z } from 'zod'

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

/** One field's fault: where (RFC 6901), which rule, and what to do. It never repeats the value. */
export const FieldError = z.looseObject({
  pointer: z.string(),
  code: z.string(),
  detail: z.string(),
})
export type FieldError = z.infer<typeof FieldError>

/**
 * An error answer as a client reads it: only what it needs is required.
 *
 * @see RFC 9457
 */
export const Problem = z.looseObject({
  type: z.string().optional(),
  title: z.string().optional(),
  status: z.number().optional(),
  detail: z.string().optional(),
  code: z.string(),
  requestId: z.string().optional(),
  retryable: z.boolean().optional(),
  errors: z.array(FieldError).optional(),
})
export type Problem = z.infer<typeof Problem>

/**
 * Lists what is wrong with each field, in the words that the schema gives.
 *
 * An unknown parameter gets an entry of its own, so that `order_id` is pointed at by name.
 *
 * @param error What the schema found.
 * @param input What it was given: an issue alone cannot tell a missing field from a wrong one.
 */
export function fieldErrors(error: z.ZodError, input: unknown): FieldError[] {
  return error.issues.flatMap((issue) => {
    if (issue.code === 'unrecognized_keys') {
      return issue.keys.map((key) => ({
        pointer: pointer([...issue.path, key]),
        code: 'unknown_parameter',
        detail: `${[...issue.path, key].join('.')} ${issue.message}`,
      }))
    }
    const missing = issue.code === 'invalid_type' && at(input, issue.path) === undefined
    const code = missing ? 'required' : codeOf(issue)
    const field = issue.path.join('.') || 'body'
    const detail = missing ? `is required: it ${issue.message}` : detailOf(issue)
    return [{ pointer: pointer(issue.path), code, detail: `${field} ${detail}` }]
  })
}

function at(input: unknown, path: readonly PropertyKey[]): unknown {
  return path.reduce<unknown>(
    (value, key) =>
      typeof value === 'object' && value !== null && Object.hasOwn(value, key)
        ? Reflect.get(value, key)
        : undefined,
    input,
  )
}

function codeOf(issue: z.core.$ZodIssue): FieldErrorCode {
  if (issue.code === 'custom') return issue.params?.code ?? 'invalid_format'
  if (issue.code === 'invalid_value') return 'not_supported'
  if (issue.code === 'invalid_key') {
    const [inner] = issue.issues
    return inner ? codeOf(inner) : 'invalid_format'
  }
  return 'invalid_type'
}

function detailOf(issue: z.core.$ZodIssue): string {
  if (issue.code !== 'invalid_key') return issue.message
  return `has a key that ${issue.issues[0]?.message ?? issue.message}`
}

/** @see RFC 6901, §3 and §4 */
function pointer(path: readonly PropertyKey[]): string {
  return path.map((part) => `/${String(part).replaceAll('~', '~0').replaceAll('/', '~1')}`).join('')
}
