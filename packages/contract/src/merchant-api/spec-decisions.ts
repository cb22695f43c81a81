/** Formats and limits that the specification does not show. @module */

/** An identifier that is safe in a path. It cannot be `..` or contain `/`. */
export const paymentIntentIdPattern: RegExp = /^[\w-]{1,128}$/

/** An id that no intent has. Clients read it to check their key: only an accepted one gets the 404. */
export const keyCheckId = 'pi_check'

/** `pi_sk_test_` or `pi_sk_live_`, the public id of the environment, and 36 random characters. */
export const apiKeyPattern: RegExp = /^pi_sk_(test|live)_([A-Za-z0-9]{16})_([A-Za-z0-9]{36})$/

/** Limits of a request. Lengths are in code points, sizes in bytes of UTF-8. The specification sets `orderId`. */
export const limits = {
  // `Number.MAX_SAFE_INTEGER`
  amount: 9_007_199_254_740_991,
  orderId: 32,
  customerId: 64,
  customerEmail: 254,
  customerName: 128,
  metadataKeys: 50,
  metadataKey: 40,
  metadataValue: 500,
  metadataBytes: 16_384,
  idempotencyKey: 255,
  requestBytes: 65_536,
  requestDepth: 5,
} as const
