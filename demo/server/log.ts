/** Log lines on stderr. Errors of the shop and the helper contain no secret and no body. @module */

/** Writes one line. */
export function log(level: 'warn' | 'error', event: string, facts: object): void {
  process.stderr.write(`${JSON.stringify({ level, event, ...facts })}\n`)
}

/** Writes one line about an error. */
export function logFailure(event: string, error: unknown): void {
  const { name, message, stack } = error instanceof Error ? error : new Error('not an Error')
  const code = error instanceof Error && 'code' in error ? String(error.code) : undefined
  const place = stack?.split('\n').find((line) => line.startsWith('    at '))
  log('error', event, { name, code, message: message.slice(0, 300), place })
}
