/** Inputs of attackers and accidents: ambiguous JSON, odd text, and almost valid objects. @module */
import fc from 'fast-check'

/** JSON, or almost JSON. */
const literal = fc.oneof(
  { weight: 4, arbitrary: fc.json({ maxDepth: 4, depthSize: 'small' }) },
  {
    weight: 4,
    arbitrary: fc.constantFrom(
      '1e400',
      '-0',
      '100.0',
      '1E2',
      '9007199254740993',
      '0x10',
      '01',
      '1.',
      '.5',
      'NaN',
      '+1',
      ...['"\\ud800"', '"\\u0000"', '"\\u202e"', '{"__proto__":1}', '{"a":1,"a":2}', '[', '"', ''],
      ...['null', 'true', '[]', '{}', '""', '-1', '0', '150000', '"AMD"', '"usd"', '{"id":"c"}'],
      `"${'é'.repeat(40)}"`,
      `"${'𝄞'.repeat(32)}"`,
      `{"${'k'.repeat(41)}":"v"}`,
      ...[1, 5, 6, 500].map((depth) => `${'{"a":'.repeat(depth)}1${'}'.repeat(depth)}`),
    ),
  },
  {
    weight: 2,
    arbitrary: fc.string({ unit: 'binary', maxLength: 40 }).map((text) => JSON.stringify(text)),
  },
)

/** The text of an object: this one, or with wrong, repeated, missing, or unknown fields; or another text. */
export function jsonNear(right: object): fc.Arbitrary<string> {
  const fields = Object.entries(right).map(
    ([name, value]) => [name, JSON.stringify(value)] as const,
  )
  const names = [...Object.keys(right), '__proto__', 'constructor', 'extra']
  const other = fc.tuple(fc.constantFrom(...names), literal)
  const near = fc
    .tuple(fc.subarray(fields, { minLength: fields.length - 1 }), fc.array(other, { maxLength: 2 }))
    .map((parts) => objectOf(parts.flat()))
  return fc.oneof(
    { weight: 20, arbitrary: fc.constant(objectOf(fields)) },
    { weight: 80, arbitrary: near },
    { weight: 60, arbitrary: fc.array(other, { maxLength: 6 }).map(objectOf) },
    { weight: 20, arbitrary: literal },
    { weight: 20, arbitrary: fc.string({ unit: 'binary', maxLength: 200 }) },
    // Deep enough to overflow the stack of a recursive reader.
    { weight: 1, arbitrary: fc.constant(`${'['.repeat(20_000)}${']'.repeat(20_000)}`) },
  )
}

function objectOf(fields: readonly (readonly [name: string, value: string])[]): string {
  return `{${fields.map(([name, value]) => `"${name}":${value}`).join(',')}}`
}

/** ASCII with all its control characters. */
export const ascii = (maxLength: number): fc.Arbitrary<string> =>
  fc.string({ unit: 'binary-ascii', maxLength })

/** Text that is valid in a header. */
const headerText = (maxLength: number): fc.Arbitrary<string> =>
  ascii(maxLength).map((text) => text.replace(/[^\x20-\x7e]/g, '?').trim())

/** A secret: valid, with one character changed, cut, repeated; or another text. */
export function tokenNear(right: string): fc.Arbitrary<string> {
  const at = fc.nat(right.length - 1)
  return fc.oneof(
    { weight: 3, arbitrary: fc.constant(right) },
    {
      weight: 2,
      arbitrary: at.map((place) => `${right.slice(0, place)}x${right.slice(place + 1)}`),
    },
    { weight: 1, arbitrary: at.map((place) => right.slice(0, place)) },
    { weight: 1, arbitrary: at.map((place) => right + right.slice(place)) },
    { weight: 1, arbitrary: headerText(300) },
  )
}
