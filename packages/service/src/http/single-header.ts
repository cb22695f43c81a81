/** Reads headers that must not be repeated, which Node.js drops or joins. @module */
import type { IncomingMessage } from 'node:http'
import type { ProblemCode } from '@pi-checkout/contract'
import { ProblemError } from './problem.ts'

/** Returns a header by its name in lower case. @throws {ProblemError} If it was sent repeatedly. */
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
