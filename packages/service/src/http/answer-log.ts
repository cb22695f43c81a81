/**
 * One line of the log for each answer, where the log is that fine: what was asked, how it ended, and
 * under which id. No line holds an id, a query or anything else that a caller chose.
 *
 * @module
 */
import type { RequestListener } from 'node:http'
import type { Logger } from 'pino'
import { sentStatus } from './answer-facts.ts'
import type { ClientAddresses } from './client-address.ts'
import { requestId } from './request-id.ts'

/**
 * Puts a listener's answers into the log; unless it takes `debug`, the listener stays what it is.
 *
 * @param addressOf - Finds the client's address, which is in the line if it is known.
 */
export function logAnswers(
  log: Logger,
  addressOf: ClientAddresses['ofRequest'],
  listener: RequestListener,
): RequestListener {
  if (!log.isLevelEnabled('debug')) return listener
  return (request, response) => {
    const begin = performance.now()
    // A closed socket has no address any more.
    const client = addressOf(request)
    response.once('close', () => {
      log.debug(
        {
          method: request.method,
          path: pathTemplate(request.url ?? ''),
          status: sentStatus(response),
          ms: Math.round((performance.now() - begin) * 10) / 10,
          requestId: requestId(response),
          ...(client !== undefined && { client }),
        },
        'An answer',
      )
    })
    listener(request, response)
  }
}

/** The shape of a path: whatever may be an id, or a secret that somebody put there, is `:id`. */
export function pathTemplate(url: string): string {
  const [path = ''] = url.split('?', 1)
  const [, first = '', ...rest] = path.split('/', maxParts)
  const parts = [word(first), ...rest.map((part) => (collections.has(first) ? ':id' : word(part)))]
  return `/${parts.join('/')}`
}

const maxParts = 7
const collections: ReadonlySet<string> = new Set(['payment-intents', 'checkout'])

function word(part: string): string {
  return words.has(part) ? part : ':id'
}

/** Every part of the paths that this service answers at; any other was chosen by a caller. */
const words: ReadonlySet<string> = new Set(
  [
    '/payment-intents',
    '/checkout',
    '/checkout-api/session/intent/confirm/cancel/challenge/open/reports',
    '/checkout-assets',
    '/challenge',
    '/bank',
    '/docs',
    '/docs.css',
    '/favicon.ico',
    '/healthz',
    '/metrics',
    '/openapi.json',
    '/pi-checkout.js',
    '/readyz',
    '/_sandbox/environments/clock/origins/intents/requests/idempotency/lint/faults',
    '/_sandbox/events/export/import/reset/playground/revoke-secret/settle',
  ].flatMap((path) => path.split('/')),
)
