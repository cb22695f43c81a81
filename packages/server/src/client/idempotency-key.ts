/**
 * Derives the idempotency key of a create: the same order and body always have the same key.
 *
 * `key = UUIDv8(SHA-256(RFC 8785({ v: 1, op: "create", namespace, attempt, body })))`.
 *
 * @module
 */
import type { CreatePaymentIntent } from '@pi-checkout/contract/payment-intent'
import canonicalize from 'canonicalize'
import { type CreateParams, readCreateParams } from './create-params.ts'
import { invalidParam } from './errors.ts'

/** What the key depends on, besides the body. */
export interface KeyOptions {
  readonly attempt?: number | undefined
  readonly namespace?: string | undefined
}

export interface PreparedCreate {
  readonly body: CreatePaymentIntent
  /** RFC 8785 text: equal bodies have equal bytes, regardless of the order of their fields. */
  readonly bytes: string
  readonly key: string
}

/**
 * Validates and serializes a create, and derives its key.
 *
 * @throws {InvalidParamsError} If a field is invalid.
 */
export async function prepareCreate(
  params: CreateParams,
  { attempt = 1, namespace = '' }: KeyOptions = {},
): Promise<PreparedCreate> {
  const body = readCreateParams(params)
  const bytes = canonicalText(body)
  if (!Number.isSafeInteger(attempt) || attempt < 1) {
    throw invalidParam(
      'attempt',
      'must be a whole number from 1. Raise it by one for another intent of the same order.',
    )
  }
  // The names are in the order of RFC 8785, so this is the canonical text of the object.
  const text = `{"attempt":${attempt},"body":${bytes},"namespace":${JSON.stringify(namespace)},"op":"create","v":1}`
  return { body, bytes, key: uuid(await sha256(text)) }
}

export function canonicalText(value: unknown): string {
  return canonicalize(value) ?? ''
}

/** @returns 64 hexadecimal digits, on every runtime. */
async function sha256(text: string): Promise<string> {
  // The hash of Node.js is synchronous and ten times faster than Web Crypto, which uses another thread.
  const nodeCrypto = globalThis.process?.getBuiltinModule?.('node:crypto')
  if (nodeCrypto?.hash) return nodeCrypto.hash('sha256', text)
  const digest = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(text))
  return Array.from(new Uint8Array(digest), (byte) => byte.toString(16).padStart(2, '0')).join('')
}

/** @see RFC 9562, §5.8: the first 16 bytes, with 4 bits of version and 2 bits of variant. */
function uuid(digest: string): string {
  const variant = '89ab'.charAt(Number.parseInt(digest.charAt(16), 16) % 4)
  return [
    digest.slice(0, 8),
    digest.slice(8, 12),
    `8${digest.slice(13, 16)}`,
    variant + digest.slice(17, 20),
    digest.slice(20, 32),
  ].join('-')
}
