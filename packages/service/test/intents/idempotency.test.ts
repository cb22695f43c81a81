import { expect, test } from 'vitest'
import { readIdempotencyKey } from '../../src/intents/idempotency.ts'

const read = (value?: string) => readIdempotencyKey({ headers: { 'idempotency-key': value } })

test.each([
  ['k', 'k'],
  ['"k"', 'k'],
  ['"a\\"\\\\b"', 'a"\\b'],
  ['a"b', 'a"b'],
  ['!~', '!~'],
  ['x'.repeat(255), 'x'.repeat(255)],
  [`"${'x'.repeat(255)}"`, 'x'.repeat(255)],
  [undefined, undefined],
])('reads the Idempotency-Key %.20s', (value, key) => expect(read(value)).toBe(key))

// A repeated header is one value with a comma and a space.
test.each(['a b', '"', '""', '"a', '"a"b"', '"a\\b"', '"a b"', 'é', 'x'.repeat(256), 'k, k'])(
  'rejects the Idempotency-Key %.20s',
  (value) => {
    const message = 'Idempotency-Key must be 1 to 255 visible ASCII characters, such as a UUID.'
    const rejected = expect.objectContaining({ code: 'invalid_idempotency_key', message })
    expect(() => read(value)).toThrow(rejected)
  },
)
