/** Exit codes: a script learns above all whether an intent may exist. @module */
import { PiError } from '../client/errors.ts'

/** Output and input of a command. */
export interface Terminal {
  /** Writes results to standard output. */
  readonly print: (text: string) => void
  /** Writes everything else to standard error. */
  readonly warn: (text: string) => void
  /** Whether `--json` was passed. */
  readonly json: boolean
  /** Aborted by Ctrl-C. */
  readonly signal: AbortSignal
}

/** Runs a command with its arguments and returns the exit code. */
export type Command = (args: string[], terminal: Terminal) => Promise<number>

/** Each exit code with its meaning. The README contains the same list. */
export const exitCodes = {
  done: { code: 0, meaning: 'done; with --watch: paid; doctor: no check failed' },
  failed: { code: 1, meaning: 'a bug, or a failed check of doctor' },
  usage: {
    code: 2,
    meaning: 'an argument or a variable is missing or malformed; nothing was sent',
  },
  rejected: { code: 3, meaning: 'the service rejected the request; no intent was created' },
  unknown: { code: 4, meaning: 'an intent may exist: run the same command again to find it' },
  notSent: { code: 5, meaning: 'the service could not be reached; nothing was sent' },
  unpaid: { code: 6, meaning: 'with --watch: final without a payment' },
  interrupted: { code: 130, meaning: 'ended by Ctrl-C' },
} as const

/** Returns one line of `--json`. A later version with another meaning raises `v`. */
export function jsonLine(value: object): string {
  return JSON.stringify({ v: 1, ...value })
}

/** Writes an error to standard error and returns its exit code. */
export function reportFailure(error: unknown, { warn, json }: Terminal): number {
  if (!PiError.is(error)) {
    const { message, name } = error instanceof Error ? error : new Error(String(error))
    warn(json ? jsonLine({ error: { name, message } }) : message)
    return error instanceof TypeError ? exitCodes.usage.code : exitCodes.failed.code
  }
  const { name, message, code, outcome, retryable, advice, status, requestId } = error
  const { idempotencyKey, requests } = error
  const facts = { name, code, message, outcome, retryable, advice, status, requestId }
  warn(
    json
      ? jsonLine({ error: { ...facts, idempotencyKey, requests } })
      : `${message}\nWhat to do: ${advice}.${requestId ? `\nRequest-Id: ${requestId}` : ''}`,
  )
  if (name === 'AbortedError') return exitCodes.interrupted.code
  if (outcome === 'not_sent') return exitCodes.notSent.code
  return outcome === 'rejected' ? exitCodes.rejected.code : exitCodes.unknown.code
}
