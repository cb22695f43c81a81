/**
 * The schemas of an error answer, and what a schema's own errors are in the wire's words.
 *
 * @module
 */
import { z } from 'zod'
import type * as plain from './problem.ts'
import type { FieldErrorCode } from './problem.ts'

/** Reads one field's fault. */
export const FieldError = z.looseObject({
  pointer: z.string(),
  code: z.string(),
  detail: z.string(),
})
export type FieldError = plain.FieldError

/** Reads an error answer: only what a client needs is required. */
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
export type Problem = plain.Problem

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
