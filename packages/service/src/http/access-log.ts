/**
 * One log line for each response, at the level `debug`. No line contains an id, a query, or another value
 * that a caller chose.
 *
 * @module
 */
import type { Logger } from 'pino'
import type { Observer } from './call.ts'
import type { ClientAddresses } from './client-address.ts'

/**
 * Returns the observer that writes the lines, or none if the log does not take `debug`.
 *
 * @param addressOf - Finds the client's address, which is in the line if it is known.
 */
export function accessLog(
  log: Logger,
  addressOf: ClientAddresses['ofRequest'],
): readonly Observer[] {
  if (!log.isLevelEnabled('debug')) return []
  return [
    {
      wants: (call) => {
        // A closed socket has no address.
        call.client = addressOf(call.request)
        return true
      },
      record: ({ request, matched, sentStatus: status, requestId, startedAt, client }) => {
        log.debug(
          {
            method: request.method,
            path: matched?.path ?? '/*',
            status,
            ms: Math.round((performance.now() - startedAt) * 10) / 10,
            requestId,
            ...(client !== undefined && { client }),
          },
          'A response',
        )
      },
    },
  ]
}
