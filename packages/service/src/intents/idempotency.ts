/** Idempotency keys: their syntax, and the hashes that identify a retried create. @module */
import { hash } from 'node:crypto'
import { type CreatePaymentIntent, headers, limits } from '@pi-checkout/contract'
import canonicalize from 'canonicalize'
import type { FastifyRequest } from 'fastify'
import { ProblemError, retryLater } from '../http/problem.ts'
import type { SecretKeys } from '../secret-keys.ts'

/** Hashes of an idempotency key and its body, each as 64 hexadecimal digits. */
export interface IdempotencyHashes {
  readonly hash: string
  readonly fingerprint: string
}

/** Reads the key, as it was sent. */
export function readIdempotencyKey({
  headers: sent,
}: Pick<FastifyRequest, 'headers'>): string | undefined {
  const key = sent[headers.idempotencyKey]
  if (typeof key !== 'string') return undefined
  if (!visibleAscii.test(key) || key.length > limits.idempotencyKey) {
    throw new ProblemError(
      'invalid_idempotency_key',
      `Idempotency-Key must be 1 to ${limits.idempotencyKey} visible ASCII characters, such as a UUID.`,
    )
  }
  return key
}

/** Hashes a key and a normalized body, so that only who has the secret of the service can guess them. @see RFC 8785 */
export function idempotencyHashes(
  keys: SecretKeys,
  {
    environmentId,
    key,
    body,
  }: {
    readonly environmentId: string
    readonly key: string
    readonly body: CreatePaymentIntent
  },
): IdempotencyHashes {
  const salt = `${keys.idempotency.toString('hex')}\0${environmentId}`
  return {
    hash: hash('sha256', `${salt}\0key\0create\0${key}`),
    fingerprint: hash('sha256', `${salt}\0body\0${canonicalize(body)}`),
  }
}

const visibleAscii = /^[!-~]+$/

/** Returns the problem of a key whose first request has not ended. */
export function idempotencyKeyInUse(): ProblemError {
  return retryLater(
    'idempotency_key_in_use',
    'The first request with this Idempotency-Key is still running. Send the same request again.',
  )
}

/** Returns the problem of a key that was used with another body. */
export function idempotencyKeyReused(): ProblemError {
  return new ProblemError(
    'idempotency_key_reused',
    'This Idempotency-Key was used with another body. Use a new key for a new request.',
  )
}
