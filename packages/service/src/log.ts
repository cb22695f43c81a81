/**
 * Errors in the log: enough to find the cause, and no secret.
 *
 * @module
 */
import type { Level, Logger } from 'pino'
import { redact } from './redact.ts'

/** An error as a log line holds it. */
export interface LoggedError {
  readonly name: string
  /** Of the system, PostgreSQL's SQLSTATE, or a problem's. */
  readonly code?: string
  /** Without secrets; a fixed text where the message quotes its input. */
  readonly message: string
  /** The rule of the store that the statement broke. */
  readonly constraint?: string
  /** Name of the prepared statement, as PostgreSQL's own log shows it. */
  readonly statement?: string
  /** The rule that a rejected request broke. */
  readonly rule?: string
  /** Frames alone, the innermost first. */
  readonly stack?: readonly string[]
  readonly cause?: LoggedError
}

/**
 * Writes an error as one line.
 *
 * @param error Anything that was thrown.
 * @param about `event`: what failed, in fixed words · `requestId`: of the response that reports it ·
 * `level`: @default 'error'
 */
export function logError(
  log: Logger,
  error: unknown,
  about: { readonly event: string; readonly requestId?: string; readonly level?: Level },
): void {
  const { event, requestId, level = 'error' } = about
  if (!log.isLevelEnabled(level)) return
  log[level]({ ...(requestId !== undefined && { requestId }), error: describeError(error) }, event)
}

/** Describes an error without a secret: its message, cause and frames are masked and cut. */
export function describeError(error: unknown): LoggedError {
  return describeCause(error, mostCauses)
}

const mostCauses = 5
const mostFrames = 20
const longestText = 500

function describeCause(error: unknown, depth: number): LoggedError {
  if (!(error instanceof Error)) return { name: typeof error, message: 'Not an Error was thrown' }
  const stack = framesOf(error)
  return {
    name: shortText(error.name),
    ...textsOf(error),
    message: messageOf(error),
    ...(stack.length > 0 && { stack }),
    ...(error.cause !== undefined && depth > 0 && { cause: describeCause(error.cause, depth - 1) }),
  }
}

function textsOf(error: Error): Partial<Record<(typeof facts)[number], string>> {
  const given = facts.flatMap((name) => {
    const value: unknown = Reflect.get(error, name)
    return typeof value === 'string' ? [[name, shortText(value)] as const] : []
  })
  return Object.fromEntries(given)
}

const facts = ['code', 'constraint', 'statement', 'rule'] as const

/** Messages of these quote what they could not read: claims, JSON and fields. */
function messageOf(error: Error): string {
  const { name } = error
  if (error instanceof SyntaxError) return 'A text could not be parsed'
  if (/zod/i.test(name)) return 'A value does not fit its schema'
  if (/^J(?:OSE|W[A-Z])/.test(name)) return 'A token is not accepted'
  return shortText(error.message)
}

/** The first line of a stack repeats the message, which may have several lines. */
function framesOf({ stack, message }: Error): readonly string[] {
  if (typeof stack !== 'string') return []
  const at = message === '' ? -1 : stack.indexOf(message)
  const frames = at === -1 ? stack : stack.slice(at + message.length)
  return frames
    .split('\n')
    .filter((line) => line.startsWith('    at '))
    .slice(0, mostFrames)
    .map((line) => shortText(line.trim()))
}

function shortText(text: string): string {
  // Twice what is kept: a secret that is cut in two would be no secret to the masks.
  const masked = redact(text.slice(0, 4 * longestText))
  return masked.length > longestText ? `${masked.slice(0, longestText)}…` : masked
}
