/** Keeps secrets out of errors. @module */

export const masked = '[masked]'

/** Removes the API key, and every client secret, from a text of a service or a transport. */
export function withoutSecrets(text: string, apiKey: string): string {
  return text.replaceAll(apiKey, masked).replace(/\b\w+_secret_\w+/g, masked)
}

/**
 * Copies name, message, code, and stack of an error and its causes. The error of a transport may have the request with its
 * headers, and `inspect` prints all properties.
 */
export function causeWithoutSecrets(error: unknown, apiKey: string, depth = 0): unknown {
  if (!(error instanceof Error) || depth > 5) return undefined
  const copy: Error & { code?: string } = new Error(withoutSecrets(error.message, apiKey))
  copy.name = error.name
  copy.stack = withoutSecrets(error.stack ?? '', apiKey)
  if ('code' in error && typeof error.code === 'string') {
    copy.code = withoutSecrets(error.code, apiKey)
  }
  if (error.cause !== undefined) copy.cause = causeWithoutSecrets(error.cause, apiKey, depth + 1)
  return copy
}
