/**
 * Reads a header that must not be repeated. Node.js drops or joins repeated headers, so only `rawHeaders`
 * shows them.
 *
 * @module
 */
import type { IncomingMessage } from 'node:http'
import type { ProblemCode } from '@pi-checkout/contract'
import { ProblemError } from './problem.ts'

/**
 * Returns the value of a header, or `undefined` if it was not sent.
 *
 * @param name - Name of the header in lower case.
 * @param code - Code of the problem.
 * @throws {ProblemError} If the header was sent more than once.
 */
export function singleHeader(
  { headers, rawHeaders }: IncomingMessage,
  name: string,
  code: ProblemCode = 'invalid_header',
): string | undefined {
  const value = headers[name]
  if (value === undefined) return undefined
  let count = 0
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const raw = rawHeaders[at]
    if (raw?.length === name.length && raw.toLowerCase() === name) count++
  }
  if (count > 1) throw new ProblemError(code, `${name} was sent ${count} times. Send it once.`)
  return String(value)
}
