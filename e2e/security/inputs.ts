/** Inputs of attackers and accidents: ambiguous JSON, odd text, and almost valid values. @module */
import fc from 'fast-check'

const oddLiterals =
  '1e400 -0 100.0 1E2 9007199254740993 0x10 01 1. .5 NaN +1 -1 0 150000 null true [] {} [ " "" ' +
  '"\\ud800" "\\u0000" "\\u202e" {"__proto__":1} {"a":1,"a":2} {"id":"c"} "AMD" "usd"'
const depths = [1, 5, 6, 500].map((depth) => `${'{"a":'.repeat(depth)}1${'}'.repeat(depth)}`)
const lengths = [`"${'é'.repeat(40)}"`, `"${'𝄞'.repeat(32)}"`, `{"${'k'.repeat(41)}":"v"}`]

/** JSON, or almost JSON. */
const literal = fc.oneof(
  fc.json({ maxDepth: 4, depthSize: 'small' }),
  fc.constantFrom('', ...oddLiterals.split(' '), ...depths, ...lengths),
  fc.string({ unit: 'binary', maxLength: 40 }).map((text) => JSON.stringify(text)),
)

/** The text of an object: this one, or with wrong, repeated, missing, or unknown fields; or another text. */
export function jsonNear(right: object): fc.Arbitrary<string> {
  const fields = Object.entries(right).map(([name, value]) => [name, JSON.stringify(value)])
  const names = [...Object.keys(right), '__proto__', 'constructor', 'extra']
  const other = fc.tuple(fc.constantFrom(...names), literal)
  const near = fc
    .tuple(
      fc.subarray(fields, { minLength: Math.max(0, fields.length - 1) }),
      fc.array(other, { maxLength: 2 }),
    )
    .map((parts) => objectOf(parts.flat()))
  return fc.oneof(
    { weight: 20, arbitrary: fc.constant(objectOf(fields)) },
    { weight: 80, arbitrary: near },
    { weight: 40, arbitrary: fc.array(other, { maxLength: 6 }).map(objectOf) },
    { weight: 20, arbitrary: literal },
    { weight: 20, arbitrary: fc.string({ unit: 'binary', maxLength: 200 }) },
    {
      weight: 10,
      arbitrary: fc.tuple(fc.constantFrom(...names), long).map((one) => objectOf([one])),
    },
  )
}

function objectOf(fields: readonly (readonly (string | undefined)[])[]): string {
  return `{${fields.map(([name, value]) => `"${name}":${value}`).join(',')}}`
}

/** What takes long to read: up to the 64 KB that a body may have. */
const size = 60_000
const long = fc
  .constantFrom(
    ...['[', '{"a":', ' ', '9', '1.', '"', '\\', '\u0000', '%', 'é'],
    ...['{},', '"a":1,', '1e300,', '"𝄞",'],
  )
  .chain((part) => fc.constantFrom(part.repeat(size / part.length), `[${part.repeat(9999)}1]`))
  .map((text) => Buffer.from(text).subarray(0, size).toString())

/** ASCII with all its control characters. */
export const ascii = (maxLength: number): fc.Arbitrary<string> =>
  fc.string({ unit: 'binary-ascii', maxLength })

/** A secret: valid, with one character changed, cut, repeated; or another text without control characters. */
export function tokenNear(right: string): fc.Arbitrary<string> {
  const at = fc.nat(right.length - 1)
  return fc.oneof(
    { weight: 4, arbitrary: fc.constant(right) },
    at.map((place) => `${right.slice(0, place)}x${right.slice(place + 1)}`),
    at.map((place) => right.slice(0, place)),
    at.map((place) => right + right.slice(place)),
    ascii(300).map((text) => text.replace(/[^\x20-\x7e]/g, '?').trim()),
  )
}

const headerNames =
  'Authorization Idempotency-Key Content-Type Content-Length Transfer-Encoding Connection Host Origin ' +
  'Referer Cookie Expect Range If-None-Match Sec-Fetch-Site X-Forwarded-For Forwarded Sandbox-Fault X'
const headerValues =
  'chunked 0 5 05 -1 +3 0x5 1e1 99999999 null Bearer Bearer,Bearer bytes=0-0,0-0 application/json;charset='

/** Lines of a head that are repeated, contradict each other, are long, or are no headers. */
export const oddLines: fc.Arbitrary<readonly string[]> = fc.oneof(
  fc.array(
    fc
      .tuple(
        fc.constantFrom(...headerNames.split(' ')),
        fc.oneof(ascii(60), fc.constantFrom(...headerValues.split(' '))),
      )
      .map((line) => line.join(': ')),
    { minLength: 1, maxLength: 4 },
  ),
  fc.constantFrom(...headerNames.split(' ')).map((name) => [`${name}: ${'a,'.repeat(7000)}`]),
  fc.constantFrom(...headerNames.split(' ')).map((name) => Array(500).fill(`${name}: 1`)),
)
