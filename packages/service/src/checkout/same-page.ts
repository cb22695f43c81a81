/**
 * Lets only the hosted page itself call its private API: no other site, no other page of this host.
 *
 * @module
 */
import type { RequestHandler } from 'express'
import { ProblemError } from '../http/problem.ts'

/**
 * Checks `Origin` and `Sec-Fetch-Site`. It comes after the check of `Host`, so a host name that got
 * here is one of ours.
 *
 * @param publicUrl The service's public origin.
 */
export function samePage(publicUrl: string): RequestHandler {
  return (request, _response, next) => {
    const { origin, host, 'sec-fetch-site': site } = request.headers
    const own = origin === publicUrl || origin === `http://${host}`
    // A GET from one's own page carries no Origin; a POST always does.
    const vouched = origin === undefined ? request.method === 'GET' : own
    if (vouched && (site === undefined || site === 'same-origin')) return next()
    next(
      new ProblemError(
        'origin_not_allowed',
        'Only the hosted checkout page calls this; merchants use POST /payment-intents.',
      ),
    )
  }
}
