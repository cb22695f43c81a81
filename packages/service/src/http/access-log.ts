/** Logs each response at the level `debug`, with its route pattern, without ids and queries. @module */
import type { Logger } from 'pino'
import type { Observer } from './call.ts'
import type { ClientAddresses } from './client-address.ts'

/** Returns the observer that writes the lines, or none if `debug` is disabled. */
export function accessLog(
  log: Logger,
  addressOf: ClientAddresses['ofRequest'],
): readonly Observer[] {
  if (!log.isLevelEnabled('debug')) return []
  return [
    {
      shouldRecord: (call) => {
        // Read before the response ends, because a closed socket has no address.
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
          'Sent a response',
        )
      },
    },
  ]
}
