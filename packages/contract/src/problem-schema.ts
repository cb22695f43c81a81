/**
 * The schemas of an error answer, and what a schema's own errors are in the wire's words.
 *
 * @module
 */
import { z } from 'zod'
import type * as plain from './problem.ts'
import { type FieldErrorCode, maxFieldErrors, maxNameLength } from './problem.ts'

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
  errorsOmitted: z.number().optional(),
})
export type Problem = plain.Problem

/** What is wrong with a body, in the fields of a problem. */
export interface FieldErrors {
  /** At most 20. */
  readonly errors: FieldError[]
  /** Number of wrong fields that `errors` does not list. */
  readonly errorsOmitted: number
}

/**
 * Lists what is wrong with each field, in the words that the schema gives.
 *
 * An unknown parameter gets a separate entry, so that `order_id` is pointed at by name. The list has at
 * most 20 entries whatever the input, and is made in time linear in the input's size.
 *
 * @param error What the schema found.
 * @param input What it was given: an issue alone cannot tell a missing field from a wrong one.
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
 * Returns where a field stands, as a JSON Pointer and in words. Long names are cut.
 *
 * @see RFC 6901, §3 and §4
 */
export function fieldAt(path: readonly PropertyKey[]): {
  readonly pointer: string
  readonly field: string
} {
  const names = path.map((part) => cut(String(part)))
  return {
    pointer: names.map((name) => `/${name.replaceAll('~', '~0').replaceAll('/', '~1')}`).join(''),
    field: names.join('.') || 'body',
  }
}

/** The rule for a field that no schema knows: one fixed sentence, whatever the schema says. */
export const unknownParameterRule = 'is not a parameter of this operation'

function unknownParameter(path: readonly PropertyKey[]): FieldError {
  const { pointer, field } = fieldAt(path)
  return { pointer, code: 'unknown_parameter', detail: `${field} ${unknownParameterRule}` }
}

function fieldError(issue: z.core.$ZodIssue, input: unknown): FieldError {
  const { pointer, field } = fieldAt(issue.path)
  const missing = issue.code === 'invalid_type' && at(input, issue.path) === undefined
  const code = missing ? 'required' : codeOf(issue)
  const detail = missing ? `is required: it ${issue.message}` : detailOf(issue)
  return { pointer, code, detail: `${field} ${detail}` }
}

function cut(name: string): string {
  if (name.length <= maxNameLength) return name
  const points = [...name.slice(0, 2 * maxNameLength + 1)]
  return points.length > maxNameLength ? `${points.slice(0, maxNameLength).join('')}…` : name
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
