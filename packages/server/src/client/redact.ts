/** Removes secrets from everything that is printed or logged. @module */
export const masked = '[masked]'

/** Replaces the given secrets in a text, and everything that looks like an API key or a client secret. */
export function redact(text: string, secrets: readonly string[] = []): string {
  let rest = text
  for (const secret of secrets) if (secret) rest = rest.replaceAll(secret, masked)
  return rest.replace(/pi_sk_\w+|\b\w+_secret_\w+/g, masked)
}

/** Returns the start of a value that was received, without secrets and card numbers. */
export function excerpt(value: string): string {
  return shorten(maskValue(value))
}

export function quote(value: string): string {
  return JSON.stringify(maskValue(value).slice(0, 60))
}

export function maskValue(value: string): string {
  return redact(value).replace(/\d(?:[ -]?\d){11,}/g, '…')
}

/** Returns the start of a text of the service, which may contain a limit of many digits, without secrets. */
export function shorten(
  text: string,
  { max = 60, secrets = [] }: { readonly max?: number; readonly secrets?: readonly string[] } = {},
): string {
  // Redacted first: a part of a secret is not recognized.
  const rest = redact(text, secrets)
  return rest.length > max ? `${rest.slice(0, max)}…` : rest
}

/**
 * Copies name, message, code, and stack of an error and its causes, without secrets. The error of a transport may
 * contain the request and its headers, and `inspect` prints all properties.
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
