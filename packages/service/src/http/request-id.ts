/**
 * One id per answer, so that a merchant's report finds its line in the log.
 *
 * @module
 */
import type { ServerResponse } from 'node:http'
import { headers } from '@pi-checkout/contract'
import { randomBase62 } from '../identifiers.ts'

/** Returns the id of this answer, setting it at the first call. */
export function requestId(response: ServerResponse): string {
  const known = response.getHeader(headers.requestId)
  if (typeof known === 'string') return known
  const id = `req_${randomBase62(20)}`
  response.setHeader(headers.requestId, id)
  return id
}
