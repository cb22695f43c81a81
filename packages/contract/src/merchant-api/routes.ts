/** Methods, paths, and headers of the merchant API. @module */

/** The two operations. Paths are relative to the base URL. */
export const routes = {
  /** @see Payment Intents specification, §4.1 */
  create: { operation: 'create', method: 'POST', path: '/payment-intents' },
  /** @see Payment Intents specification, §4.2 */
  retrieve: { operation: 'retrieve', method: 'GET', path: '/payment-intents/:id' },
} as const

/** Header names in lower case, as Node.js and `fetch` return them. */
export const headers = {
  authorization: 'authorization',
  contentType: 'content-type',
  idempotencyKey: 'idempotency-key',
  idempotentReplayed: 'idempotent-replayed',
  profile: 'payment-intents-profile',
  requestId: 'request-id',
  retryAfter: 'retry-after',
  sandboxFault: 'sandbox-fault',
} as const
