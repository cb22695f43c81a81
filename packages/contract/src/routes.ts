/**
 * Method, path and headers of both operations, read by helper, service and API description.
 *
 * @module
 */

/** The two operations of the service. Paths are relative to the base URL. */
export const routes = {
  /** @see Payment Intents specification, §4.1 */
  create: { operation: 'create', method: 'POST', path: '/payment-intents' },
  /** @see Payment Intents specification, §4.2 */
  retrieve: { operation: 'retrieve', method: 'GET', path: '/payment-intents/:id' },
} as const

/** Header names in lower case, as Node and `fetch` hand them out. */
export const headers = {
  apiVersion: 'api-version',
  authorization: 'authorization',
  contentType: 'content-type',
  idempotencyKey: 'idempotency-key',
  idempotentReplayed: 'idempotent-replayed',
  requestId: 'request-id',
  retryAfter: 'retry-after',
  sandboxFault: 'sandbox-fault',
} as const
