/**
 * Keeps secrets out of what people print: consoles, logs, error trackers.
 *
 * @module
 */

/** The two values that the paying browser gets, and nothing else. */
export interface Handoff {
  readonly id: string
  /** Pays this one intent. JSON carries it; `console.log` and `inspect` show a mask. */
  readonly clientSecret: string
}

const inspect = Symbol.for('nodejs.util.inspect.custom')

/** Returns the pair with a printed form that hides the secret. JSON still carries both values. */
export function maskedHandoff(id: string, clientSecret: string): Handoff {
  const handoff = { id, clientSecret }
  Object.defineProperty(handoff, inspect, { value: () => ({ id, clientSecret: masked }) })
  return handoff
}

/** Stands where a secret would. */
export const masked = '[masked]'

/** Returns the text without the given secrets and without anything that looks like ours. */
export function redact(text: string, secrets: readonly string[]): string {
  const known = secrets.reduce(
    (left, secret) => (secret ? left.replaceAll(secret, masked) : left),
    text,
  )
  return known.replace(/pi_sk_\w+|\b\w+_secret_\w+/g, masked)
}

/**
 * Copies an error by name, message, code and stack, its causes too, all without secrets.
 *
 * A transport's own error may carry the request with its headers, and `inspect` prints all of it.
 */
export function redactedCause(cause: unknown, secrets: readonly string[], depth = 0): unknown {
  if (!(cause instanceof Error)) return undefined
  const copy: Error & { code?: string } = new Error(redact(cause.message, secrets))
  copy.name = cause.name
  copy.stack = redact(cause.stack ?? '', secrets)
  if ('code' in cause && typeof cause.code === 'string') copy.code = redact(cause.code, secrets)
  if (cause.cause !== undefined && depth < 5) {
    copy.cause = redactedCause(cause.cause, secrets, depth + 1)
  }
  return copy
}
