/** Idempotency keys: their syntax, and the hashes that identify a retried create. @module */
import { hash } from 'node:crypto'
import { type CreatePaymentIntent, headers, limits } from '@pi-checkout/contract'
import canonicalize from 'canonicalize'
import type { FastifyRequest } from 'fastify'
import { ProblemError, retryLater } from '../http/problem.ts'
import type { Environment } from '../merchants/environments.ts'

/** Salted hashes of an idempotency key and its body, each as 64 hexadecimal digits. */
export interface IdempotencyHashes {
  readonly hash: string
  readonly fingerprint: string
}

/** Reads the key. `"k"` is the same one as `k`. @see draft-ietf-httpapi-idempotency-key-header */
export function readIdempotencyKey({
  headers: sent,
}: Pick<FastifyRequest, 'headers'>): string | undefined {
  const value = sent[headers.idempotencyKey]
  if (typeof value !== 'string') return undefined
  const key = value.startsWith('"') ? unquote(value) : value
  if (key === undefined || !visibleAscii.test(key) || key.length > limits.idempotencyKey) {
    throw new ProblemError(
      'invalid_idempotency_key',
      `Idempotency-Key must be 1 to ${limits.idempotencyKey} visible ASCII characters, such as a UUID.`,
    )
  }
  return key
}

/** Hashes a key and a normalized body with the salt, which is not rotated. @see RFC 8785 */
export function idempotencyHashes(
  environment: Salted,
  { key, body }: { readonly key: string; readonly body: CreatePaymentIntent },
): IdempotencyHashes {
  const fingerprint = salted(environment, `body\0${canonicalize(body)}`)
  return { hash: salted(environment, `key\0create\0${key}`), fingerprint }
}

type Salted = Pick<Environment, 'idempotencySalt'>

function salted({ idempotencySalt }: Salted, text: string): string {
  return hash('sha256', `${idempotencySalt}\0${text}`)
}

const visibleAscii = /^[!-~]+$/

function unquote(value: string): string | undefined {
  const [, inner] = /^"((?:[^"\\]|\\["\\])*)"$/.exec(value) ?? []
  return inner?.replace(/\\(["\\])/g, '$1')
}

/** Returns the problem of a key whose first request has not ended. */
export function idempotencyKeyInUse(): ProblemError {
  return retryLater(
    'idempotency_key_in_use',
    'The first request with this Idempotency-Key is still running. Send the same request again.',
  )
}
