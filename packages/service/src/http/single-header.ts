/**
 * Reads a header that may be sent once. Node.js keeps the first of some doubles and joins others, so only
 * the raw list shows them.
 *
 * @module
 */
import type { IncomingMessage } from 'node:http'
import type { ProblemCode } from '@pi-checkout/contract'
import { ProblemError } from './problem.ts'

/**
 * Returns the value of a header.
 *
 * @param name - In lower case.
 * @param code - Of the problem that a second one is.
 * @throws {ProblemError} If it was sent more than once.
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
  if (count > 1) throw new ProblemError(code, `${name} was sent ${count} times; send it once.`)
  return String(value)
}
