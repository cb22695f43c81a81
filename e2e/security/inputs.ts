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
      '"\\ud800"',
      '"\\u0000"',
      '"\\u202e"',
      '{"__proto__":1}',
      '{"a":1,"a":2}',
      '[',
      '"',
      '',
      'null',
      'true',
      '[]',
      '{}',
      '""',
      '-1',
      '0',
      '150000',
      '"AMD"',
      '"usd"',
      '{"id":"c"}',
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

/** What is added to a valid request: cheap to send, and perhaps expensive to process. */
export interface Hostile {
  readonly kind: string
  /** Added to the target. */
  readonly suffix?: string
  /** Lines of the head, each in Latin 1. */
  readonly headers?: readonly string[]
  readonly body?: Buffer
}

/** Node.js accepts 16 KB for the whole head. */
const headBytes = 14_000

const headerNames = (
  'Authorization Idempotency-Key Sandbox-Fault Referer Origin Accept Accept-Language Cookie ' +
  'If-None-Match Range Forwarded X-Forwarded-For Content-Type Content-Encoding Expect User-Agent ' +
  'Sec-Fetch-Site Host X'
).split(' ')
const start = fc.constantFrom(
  '',
  'Bearer ',
  'Bearer',
  'application/json',
  'application/json;charset=',
  'bytes=',
  '"',
  'http://',
  'https://a',
  'for=',
  'delay=',
  'W/"',
  'pi_sk_test_',
  '127.0.0.1:',
)
const part = fc.constantFrom(
  ' ',
  '\t',
  ',',
  ';',
  '"',
  '=',
  'a',
  '0',
  '-',
  '.',
  '/',
  '%',
  '%25',
  'é',
  '[',
  '://',
  '0-0,',
  '"a",',
  ' ,',
  '; charset=utf-8',
  'for=1.1.1.1,',
  '_secret_',
  'pi_',
  'Bearer ',
  '/..',
  '%2f',
  '&',
  'a=&',
  'a[b]=1&',
  'waitForVersion=x&',
  '?',
  '+',
  '%5fsecret%5f',
  '//',
)
const query = fc.constantFrom(
  '',
  '?',
  '?q=',
  '?after=',
  '?before=',
  '?origin=',
  '?status=',
  '?waitForVersion=',
)

/** Heads up to the limit: long headers, many headers, long paths, and long queries. */
export const hostileHeads: fc.Arbitrary<Hostile> = fc.oneof(
  fc
    .tuple(fc.constantFrom(...headerNames), start, part, fc.constantFrom('', 'x', '\x80'))
    .map(([name, first, text, last]) => ({
      kind: `a long ${name}`,
      headers: [`${name}: ${first}${fill(text, headBytes)}${last}`],
    })),
  fc.constantFrom(...headerNames).map((name) => ({
    kind: `many ${name}`,
    headers: Array.from({ length: 500 }, (_, at) => `${name}: ${at}`),
  })),
  fc.constantFrom('a', 'x-').map((name) => ({
    kind: 'many headers',
    headers: Array.from({ length: 1000 }, (_, at) => `${name}${at}:`),
  })),
  fc.tuple(query, part).map(([first, text]) => ({
    kind: `a long ${first || 'path'}`,
    suffix: first + fill(text.replace(/[^\x21-\x7e]/g, '+'), headBytes),
  })),
)

/** Names of fields of the service's schemas, so that requests reach the inner checks. */
const fieldNames = (
  'amount currency orderId customer metadata id clientSecret origin confirmationId version paymentMethod ' +
  'returnUrl offset advance outcome on do times next body type token code locale action'
).split(' ')

/** One character of a name or a text, as JSON. */
const unit = fc.constantFrom(
  'a',
  ' ',
  '~',
  '/',
  '.',
  '0',
  'é',
  '֏',
  '😀',
  '\u200b',
  '\u202e',
  '%',
  '@',
  '-',
  '_',
  'A1',
  '\\u0000',
  '\\ud800',
  '\\"',
  '\\\\',
  '\\/',
  '\\n',
  '\\u0061',
  '\\u2028',
  '#',
  "'",
  '<',
)

/** Bodies up to a limit in bytes: JSON that is long in each of its parts, and what is no JSON. */
export function hostileBodies(limit: number): fc.Arbitrary<Hostile> {
  const size = limit - 200
  const digits = fc.constantFrom('0', '9', '1', '19', '90', '0123456789')
  const number = (length: number) =>
    fc
      .tuple(digits, fc.constantFrom('1.', '-1.', '0.', '1e', '1E+', '1', '-1', '1.5e-'))
      .map(([digit, first]) => first + fill(digit, length))
  const flood = fc
    .tuple(unit, fc.nat(60), literal)
    .map(([letter, length, value]) =>
      list('{}', size, (at) => `"${letter.repeat(length)}${at}":${value}`),
    )
  const long = fc.oneof(
    flood,
    literal.map((value) => list('[]', size, () => value)),
    number(size),
    number(300).map((value) => list('[]', size, () => value)),
    fc
      .tuple(unit, fc.constantFrom('', '@', 'x', '-', 'https://'))
      .map(([letter, first]) => `"${first}${fill(letter, size)}"`),
    unit.map((letter) => `{"${fill(letter, size)}":1}`),
    unit.map((letter) => list('{}', size, () => `"${letter}":1`)),
    // Names that are array indexes had one bucket for all of them in V8's string table.
    fc
      .integer({ min: 10, max: 22 })
      .map((power) => list('{}', size, (at) => `"${(at + 1) * 2 ** power}":1`)),
    fc
      .tuple(fc.constantFrom(' ', '\t', '\n', '\r\n'), fc.constantFrom('1', 'x'))
      .map(([blank, last]) => fill(blank, size) + last),
    fc.constantFrom('[', '{"a":', '[{"a":').map((open) => fill(open, size)),
    fc.constant(`${'['.repeat(size / 2)}${']'.repeat(size / 2)}`),
    fc
      .constantFrom('"', '\\', '{"a', '\u0000', '\ufeff', 'nul', '%', '&')
      .map((it) => fill(it, size)),
  )
  const field = fc.constantFrom(...fieldNames)
  const texts = fc.oneof(
    long,
    fc.tuple(field, long).map(([name, value]) => `{"version":1,"orderId":"A","${name}":${value}}`),
    fc
      .tuple(field, fc.constantFrom('card', 'id', 'a'), long)
      .map(([name, inner, value]) => `{"amount":1,"${name}":{"${inner}":${value}}}`),
  )
  const bodies = texts.map((text) => Buffer.from(text).subarray(0, limit))
  return fc.oneof(
    {
      weight: 20,
      arbitrary: bodies.map((body) => ({ kind: String(body.subarray(0, 80)), body })),
    },
    {
      weight: 1,
      arbitrary: fc
        .constantFrom(0x80, 0xc0, 0xed, 0xf4, 0xff)
        .map((byte) => ({ kind: 'no UTF-8', body: Buffer.alloc(limit, byte) })),
    },
    {
      weight: 1,
      // Six bytes of transfer for each.
      arbitrary: bodies.map((body) => {
        const chunks = [...body.subarray(0, limit / 8)].map((byte) => [0x31, 13, 10, byte, 13, 10])
        const framed = Buffer.concat([Buffer.from(chunks.flat()), Buffer.from('0\r\n\r\n')])
        const headers = ['Transfer-Encoding: chunked']
        return { kind: 'one byte to a chunk', headers, body: framed }
      }),
    },
  )
}

/** Items with commas between them in brackets, up to a size in bytes. */
function list(brackets: string, size: number, item: (at: number) => string): string {
  const items: string[] = []
  for (let length = 0; length < size; ) {
    const next = item(items.length)
    length += Buffer.byteLength(next) + 1
    items.push(next)
  }
  return brackets[0] + items.slice(0, -1).join(',') + brackets[1]
}

/** Repeats a text, up to a size in bytes. */
function fill(text: string, size: number): string {
  return text.repeat(Math.max(1, Math.floor(size / Buffer.byteLength(text))))
}
