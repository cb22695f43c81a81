/**
 * What a script learns from the exit code: above all, whether an intent may exist.
 *
 * @module
 */
import { AbortedError, PiError } from '../errors.ts'
import type { Terminal } from './terminal.ts'

/** Every exit code, in words. */
export const exitCodes = {
  done: { code: 0, meaning: 'done; with --watch: paid; doctor: everything is in order' },
  failed: { code: 1, meaning: 'a bug, or a check of doctor failed' },
  usage: {
    code: 2,
    meaning: 'an argument or a variable is missing or malformed; nothing was sent',
  },
  rejected: { code: 3, meaning: 'the service refused; no intent was made' },
  unknown: { code: 4, meaning: 'an intent may exist: run the same command again, it finds it' },
  notSent: { code: 5, meaning: 'the service could not be reached; nothing was sent' },
  unpaid: { code: 6, meaning: 'with --watch: final without a payment' },
  interrupted: { code: 130, meaning: 'ended by Ctrl-C' },
} as const

/** Writes a failure to standard error and returns its exit code. */
export function reportFailure(error: unknown, { warn, json }: Terminal): number {
  if (!(error instanceof PiError)) {
    const { message, name } = error instanceof Error ? error : new Error(String(error))
    warn(json ? JSON.stringify({ error: { name, message } }) : message)
    return error instanceof TypeError ? exitCodes.usage.code : exitCodes.failed.code
  }
  const { name, message, code, outcome, retryable, advice, status, requestId } = error
  const { idempotencyKey, attempts } = error
  const facts = { name, code, message, outcome, retryable, advice, status, requestId }
  warn(
    json
      ? JSON.stringify({ error: { ...facts, idempotencyKey, attempts } })
      : `${message}\nWhat to do: ${advice}.${requestId ? `\nRequest-Id: ${requestId}` : ''}`,
  )
  if (error instanceof AbortedError) return exitCodes.interrupted.code
  if (outcome === 'not_sent') return exitCodes.notSent.code
  return outcome === 'rejected' ? exitCodes.rejected.code : exitCodes.unknown.code
}
