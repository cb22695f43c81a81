/**
 * One id per answer, so that a merchant's report finds its line in the log.
 *
 * @module
 */
import type { ServerResponse } from 'node:http'
import { randomBase62 } from '../identifiers.ts'

/** Returns the id of this answer, made at the first call. Whoever writes the head puts it there. */
export function requestId(response: ServerResponse): string {
  const named: Named = response
  named[id] ??= `req_${randomBase62(20)}`
  return named[id]
}

const id = Symbol('request id')

interface Named extends ServerResponse {
  [id]?: string
}
