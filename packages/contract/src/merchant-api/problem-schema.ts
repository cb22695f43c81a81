/** Schema of an error response, and the field errors of a schema's own errors. @module */
import { z } from 'zod'
import {
  type FieldError,
  type FieldErrorCode,
  maxFieldErrors,
  maxNameLength,
  type Problem,
} from './problem.ts'
import { received } from './received.ts'

/** Reads an error response. Only what a client needs is required. */
export const ProblemSchema: z.ZodType<Problem> = z.looseObject({
  type: z.string().optional(),
  title: z.string().optional(),
  status: z.number().optional(),
  detail: z.string().optional(),
  code: z.string(),
  requestId: z.string().optional(),
  retryable: z.boolean().optional(),
  errors: z
    .array(z.looseObject({ pointer: z.string(), code: z.string(), detail: z.string() }))
    .optional(),
  errorsOmitted: z.number().optional(),
})

/** The invalid fields of a body, as in a problem. */
export interface FieldErrors {
  /** At most 20. */
  readonly errors: FieldError[]
  /** Number of invalid fields that `errors` does not list. */
  readonly errorsOmitted: number
}

/**
 * Lists the invalid fields of a body, each once, in time linear in its size.
 *
 * @param error - Result of the schema.
 * @param input - The body: an issue does not show whether a field is missing or invalid.
 */
export function fieldErrors({ issues }: z.ZodError, input: unknown): FieldErrors {
  const found = issues
    // A value of the wrong type may also have the wrong length.
    .filter(({ path }, at) => JSON.stringify(path) !== JSON.stringify(issues[at - 1]?.path))
    .flatMap((issue) => {
      const names = issue.code === 'unrecognized_keys' ? issue.keys.map((key) => [key]) : [[]]
      return names.map((name) => ({ issue, path: [...issue.path, ...name] }))
    })
  const listed = found.slice(0, maxFieldErrors)
  return {
    errors: listed.map(({ issue, path }) => fieldError(issue, path, input)),
    errorsOmitted: found.length - listed.length,
  }
}

/**
 * Returns the path of a field as a JSON Pointer and as text. Secrets in names are masked, and long names are cut.
 *
 * @see RFC 6901, §3 and §4
 */
export function fieldAt(path: readonly PropertyKey[]): {
  readonly pointer: string
  readonly field: string
} {
  const names = path.map((part) => cut(String(part).replace(secret, '…')))
  return {
    pointer: names.map((name) => `/${name.replaceAll('~', '~0').replaceAll('/', '~1')}`).join(''),
    field: names.join('.') || 'body',
  }
}

/** What a client may have sent as a name by mistake: an API key, a client secret, or the digits of a card number. */
const secret = /(?<=pi_sk_(?:test|live)_|_secret_)[^/]{8,}|\d(?:[ -]?\d){11,}/gi

function cut(name: string): string {
  const points = [...name.slice(0, 2 * maxNameLength + 1)]
  return points.length > maxNameLength ? `${points.slice(0, maxNameLength).join('')}…` : name
}

function fieldError(
  issue: z.core.$ZodIssue,
  path: readonly PropertyKey[],
  input: unknown,
): FieldError {
  const { pointer, field } = fieldAt(path)
  const value = path.reduce<unknown>((parent, key) => Reflect.get(Object(parent), key), input)
  const [ofKey] = issue.code === 'invalid_key' ? issue.issues : []
  const code = codeOf(ofKey ?? issue, value)
  const rule = ofKey ? `as a key ${ofKey.message}` : issue.message
  return { pointer, code, detail: `${field} ${textOf(code, rule, value)}` }
}

function codeOf(issue: z.core.$ZodIssue, value: unknown): FieldErrorCode {
  switch (issue.code) {
    case 'custom':
      return issue.params?.code
    case 'invalid_value':
      return 'not_supported'
    case 'unrecognized_keys':
      return 'unknown_parameter'
    case 'too_small':
      return issue.origin === 'string' ? 'too_short' : 'too_small'
    case 'too_big':
      return issue.origin === 'string' ? 'too_long' : 'too_big'
    case 'invalid_format':
      return 'invalid_format'
    default:
      return value === undefined ? 'required' : 'invalid_type'
  }
}

function textOf(code: FieldErrorCode, rule: string, value: unknown): string {
  if (code === 'required') return `is required: it ${rule}`
  if (code === 'unknown_parameter') return 'is not a parameter of this operation'
  return code === 'invalid_type' ? `${rule}; ${received(value)}` : rule
}
