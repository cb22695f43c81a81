/**
 * One id per answer, so that a merchant's report finds its line in the log.
 *
 * @module
 */
import type { ServerResponse } from 'node:http'
import { randomBase62 } from '../identifiers.ts'

const ids = new WeakMap<ServerResponse, string>()

/** Returns the id of this answer, made at the first call. Whoever writes the head puts it there. */
export function requestId(response: ServerResponse): string {
  const known = ids.get(response)
  if (known) return known
  const id = `req_${randomBase62(20)}`
  ids.set(response, id)
  return id
}
