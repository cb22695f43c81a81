import type { IncomingMessage } from 'node:http'
import { expect, test } from 'vitest'
import { idempotencyHashes, readIdempotencyKey } from '../../src/intents/idempotency.ts'

const name = 'idempotency-key'

function read(...values: readonly string[]): string | undefined {
  const sent = values.flatMap((value) => ['IDEMPOTENCY-key', value])
  const rawHeaders = ['Content-Length', '15', ...sent]
  const headers = { [name]: values.join(', ') || undefined }
  return readIdempotencyKey({ headers, rawHeaders } as unknown as IncomingMessage)
}

for (const [value, key] of [
  ['k', 'k'],
  ['"k"', 'k'],
  ['"a\\"\\\\b"', 'a"\\b'],
  ['a"b', 'a"b'],
  ['!~', '!~'],
  ['x'.repeat(255), 'x'.repeat(255)],
  [`"${'x'.repeat(255)}"`, 'x'.repeat(255)],
] as const) {
  test(`reads the Idempotency-Key ${value.slice(0, 20)}`, () => expect(read(value)).toBe(key))
}

for (const value of ['a b', '"', '""', '"a', '"a"b"', '"a\\b"', '"a b"', 'é', 'x'.repeat(256)]) {
  test(`rejects the Idempotency-Key ${value.slice(0, 20)}`, () => {
    expect(() => read(value)).toThrow(
      expect.objectContaining({
        code: 'invalid_idempotency_key',
        message: 'Idempotency-Key must be 1 to 255 visible ASCII characters, such as a UUID.',
      }),
    )
  })
}

test('reads no key of a request without one, and rejects a repeated one', () => {
  expect(read()).toBeUndefined()
  expect(() => read('k', 'k')).toThrow(
    expect.objectContaining({
      code: 'invalid_idempotency_key',
      message: 'idempotency-key was sent 2 times. Send it once.',
    }),
  )
})

test('hashes key and body with the salt of the environment', () => {
  const salt = { idempotencySalt: Buffer.alloc(32, 1) }
  const body = { amount: 1, currency: 'AMD', orderId: 'A' } as const
  const one = idempotencyHashes(salt, { key: 'k', body })
  const { amount, ...rest } = body
  expect(idempotencyHashes(salt, { key: 'k', body: { ...rest, amount } })).toEqual(one)
  const other = idempotencyHashes({ idempotencySalt: Buffer.alloc(32, 2) }, { key: 'k', body })
  const key = idempotencyHashes(salt, { key: 'l', body })
  const changed = idempotencyHashes(salt, { key: 'k', body: { ...body, amount: 2 } })
  expect(new Set([one, other, key].map(({ hash }) => hash)).size).toBe(3)
  expect(new Set([one, other, changed].map(({ fingerprint }) => fingerprint)).size).toBe(3)
  expect([key.fingerprint, changed.hash]).toEqual([one.fingerprint, one.hash])
  expect(one.hash).toMatch(/^[0-9a-f]{64}$/)
})
