/** Writes errors to the log without secrets. @module */

import type { Logger } from 'pino'
import { isExplained } from './explained-error.ts'
import { redact } from './redact.ts'

/**
 * The code of a system error, SQLSTATE, or code of a problem, the violated constraint, and the name of the prepared
 * statement, as in the log of PostgreSQL.
 */
const facts = ['code', 'constraint', 'statement'] as const

export interface LoggedError extends Partial<Record<(typeof facts)[number], string>> {
  readonly name: string
  /** Message without secrets, or a fixed text if the message quotes its input. */
  readonly message: string
  /** Stack frames without the message, innermost first. */
  readonly stack?: readonly string[]
  readonly cause?: LoggedError
}

/** Logs an error. @param about - `event` is a fixed text that names the failure. */
export function logError(
  log: Logger,
  error: unknown,
  { event, requestId }: { readonly event: string; readonly requestId?: string },
): void {
  if (!log.isLevelEnabled('error')) return
  log.error({ ...(requestId !== undefined && { requestId }), error: describeError(error) }, event)
}

/** Returns an error without secrets. Messages of libraries are masked, and all texts are shortened. */
export function describeError(error: unknown, causes = maxCauses): LoggedError {
  if (!(error instanceof Error)) return { name: typeof error, message: 'The value is not an Error' }
  const stack = expected.has(error.name) ? [] : framesOf(error)
  const texts = facts
    .map((name) => [name, Reflect.get(error, name)] as const)
    .filter(([, value]) => typeof value === 'string')
    .map(([name, value]) => [name, shortText(value)])
  return {
    name: shortText(error.name),
    ...Object.fromEntries(texts),
    message: messageOf(error),
    ...(stack.length > 0 && { stack }),
    ...(error.cause !== undefined &&
      causes > 0 && { cause: describeError(error.cause, causes - 1) }),
  }
}

/** Names of errors that requests cause. Their code says enough, so that they need no stack. */
const expected: ReadonlySet<string> = new Set(['ProblemError', 'Overloaded'])
const maxCauses = 5
const maxFrames = 20
const maxTextLength = 500

/** Returns the message, or a fixed text for errors whose messages quote JSON, fields, or claims. */
function messageOf(error: Error): string {
  const { name } = error
  if (isExplained(error)) return cut(error.message)
  if (error instanceof SyntaxError) return 'A text cannot be parsed'
  if (/zod/i.test(name)) return 'A value does not match its schema'
  if (/^J(?:OSE|W[A-Z])/.test(name)) return 'A token is invalid'
  return shortText(error.message)
}

/** Returns the frames of a stack, without the message at its beginning. */
function framesOf({ stack, message }: Error): readonly string[] {
  if (typeof stack !== 'string') return []
  const at = message === '' ? -1 : stack.indexOf(message)
  const frames = at === -1 ? stack : stack.slice(at + message.length)
  return frames
    .split('\n')
    .filter((line) => line.startsWith('    at '))
    .slice(0, maxFrames)
    .map((line) => cut(line.trim()))
}

function shortText(text: string): string {
  // Mask more than is kept, because a secret that is cut in two would not be recognized.
  return cut(redact(text.slice(0, 4 * maxTextLength)))
}

function cut(text: string): string {
  return text.length > maxTextLength ? `${text.slice(0, maxTextLength)}…` : text
}
