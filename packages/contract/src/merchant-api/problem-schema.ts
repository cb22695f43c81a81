/** Schema of an error response, and the field errors of a schema's own errors. @module */
import { z } from 'zod'
import {
  type FieldError,
  type FieldErrorCode,
  maxFieldErrors,
  maxNameLength,
  type Problem,
} from './problem.ts'
import { redact } from './redact.ts'

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
 * Lists the invalid fields of a body, in time linear in its size. An unknown parameter has a separate entry.
 *
 * @param error - Result of the schema.
 * @param input - The body: an issue does not show whether a field is missing or invalid.
 */
export function fieldErrors(error: z.ZodError, input: unknown): FieldErrors {
  const errors: FieldError[] = []
  let count = 0
  for (const issue of error.issues) {
    const keys = issue.code === 'unrecognized_keys' ? issue.keys : undefined
    count += keys?.length ?? 1
    const free = maxFieldErrors - errors.length
    if (free === 0) continue
    errors.push(
      ...(keys?.slice(0, free).map((key) => unknownParameter([...issue.path, key])) ?? [
        fieldError(issue, input),
      ]),
    )
  }
  return { errors, errorsOmitted: count - errors.length }
}

/**
 * Returns the path of a field as a JSON Pointer and as text. Names are masked, because a received name may be a
 * secret. Long names are cut.
 *
 * @see RFC 6901, §3 and §4
 */
export function fieldAt(path: readonly PropertyKey[]): {
  readonly pointer: string
  readonly field: string
} {
  const names = path.map((part) => cut(redact(String(part))))
  return {
    pointer: names.map((name) => `/${name.replaceAll('~', '~0').replaceAll('/', '~1')}`).join(''),
    field: names.join('.') || 'body',
  }
}

function unknownParameter(path: readonly PropertyKey[]): FieldError {
  const { pointer, field } = fieldAt(path)
  const detail = `${field} is not a parameter of this operation`
  return { pointer, code: 'unknown_parameter', detail }
}

function fieldError(issue: z.core.$ZodIssue, input: unknown): FieldError {
  const { pointer, field } = fieldAt(issue.path)
  const missing = issue.code === 'invalid_type' && at(input, issue.path) === undefined
  const code = missing ? 'required' : codeOf(issue)
  const detail = missing ? `is required: it ${issue.message}` : detailOf(issue)
  return { pointer, code, detail: `${field} ${detail}` }
}

function cut(name: string): string {
  const points = [...name.slice(0, 2 * maxNameLength + 1)]
  return points.length > maxNameLength ? `${points.slice(0, maxNameLength).join('')}…` : name
}

function at(input: unknown, path: readonly PropertyKey[]): unknown {
  return path.reduce<unknown>((value, key) => Reflect.get(Object(value), key), input)
}

function codeOf(issue: z.core.$ZodIssue): FieldErrorCode {
  switch (issue.code) {
    case 'custom':
      return issue.params?.code
    case 'invalid_value':
      return 'not_supported'
    case 'invalid_key': {
      const [inner] = issue.issues
      return inner ? codeOf(inner) : 'invalid_format'
    }
    case 'too_big':
      return issue.origin === 'string' ? 'too_long' : issue.code
    case 'too_small':
    case 'invalid_format':
      return issue.code
    default:
      return 'invalid_type'
  }
}

function detailOf(issue: z.core.$ZodIssue): string {
  if (issue.code !== 'invalid_key') return issue.message
  return `has a key that ${issue.issues[0]?.message ?? issue.message}`
}
