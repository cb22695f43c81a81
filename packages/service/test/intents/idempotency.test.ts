import { expect, test } from 'vitest'
import { readIdempotencyKey } from '../../src/intents/idempotency.ts'

const name = 'idempotency-key'

function read(...values: readonly string[]): string | undefined {
  const headers = { [name]: values.join(', ') || undefined }
  return readIdempotencyKey({ headers })
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
    }),
  )
})
