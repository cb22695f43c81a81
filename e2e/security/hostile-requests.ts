/**
 * Requests that are cheap to send and could be expensive to process: bodies up to the size limit and heads up
 * to Node.js's limit, with parameters that a seed selects.
 *
 * @module
 */
import fc from 'fast-check'

/** Added to a valid request of an endpoint. */
export interface Hostile {
  readonly kind: string
  /** Added to the target. */
  readonly suffix?: string
  /** Lines of the head, each in Latin 1. */
  readonly headers?: readonly string[]
  readonly body?: Buffer
}

/** Bytes of a header: Node.js accepts 16 KB for the whole head. */
const headBytes = 14_000

/** Returns a hostile request of each kind. @param bodyLimit - Bytes of a body; 0 for an endpoint without a body. */
export function hostileRequests(bodyLimit: number): readonly fc.Arbitrary<Hostile>[] {
  return [...headKinds, ...(bodyLimit > 0 ? bodyKinds(bodyLimit) : [])]
}

/** Names of fields of the service's schemas, so that requests reach the inner checks. */
const knownNames =
  'amount currency orderId customer metadata id clientSecret origin attemptId version paymentMethod ' +
  'returnUrl offset advance outcome on do times environment environments intents exportedAt next body ' +
  'type token code locale action'

const name = fc.constantFrom(...knownNames.split(' '))

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

/** A value that is invalid for every field. */
const badValue = fc.constantFrom(
  ...['1', '""', 'null', 'true', '{}', '[]', '[[]]', '-0', '"\\ud800"', '"\\u0000"', '1e-9'],
  '{"a":1}',
)

const digits = fc.constantFrom('0', '9', '1', '19', '90', '0123456789')

/** A number in each notation, about `size` characters long. */
function number(size: number): fc.Arbitrary<string> {
  return fc.tuple(digits, fc.nat(8), fc.constantFrom('', '1', '5')).map(([digit, shape, end]) => {
    const run = repeat(digit, size)
    const whole = run.replace(/^0+/, '') || '1'
    const shapes = [
      `1.${run}${end}`,
      `-1.${run}${end}`,
      `0.${run}${end}`,
      `${whole}${end}`,
      `-${whole}`,
      `1e${run}${end}`,
      `1E+${run}${end}`,
      `1.${run.slice(run.length / 2)}e-${run.slice(run.length / 2)}`,
      `${whole.slice(whole.length / 2)}.${run.slice(run.length / 2)}${end}e+1`,
    ]
    return shapes[shape] ?? '1'
  })
}

function bodyKinds(limit: number): readonly fc.Arbitrary<Hostile>[] {
  const size = limit - 200
  const items = (text: string): string => `[${list(size, () => text)}]`
  const flood = fc
    .tuple(unit, fc.integer({ min: 1, max: 60 }), badValue)
    .map(([letter, length, value]) => {
      const stem = repeat(letter, length)
      return `{${list(size, (at) => `"${stem}${at}":${value}`)}}`
    })
  const inField = (value: fc.Arbitrary<string>): fc.Arbitrary<string> =>
    fc
      .tuple(name, value)
      .map(([field, text]) => `{"version":1,"orderId":"A","currency":"AMD","${field}":${text}}`)
  const texts: Readonly<Record<string, fc.Arbitrary<string>>> = {
    'unknown fields': flood,
    'fields in a field': inField(flood),
    'fields two levels down': inField(
      fc
        .tuple(fc.constantFrom('card', 'id', 'a'), flood)
        .map(([inner, fields]) => `{"${inner}":${fields}}`),
    ),
    'bad metadata': flood.map(
      (fields) => `{"amount":1,"currency":"AMD","orderId":"A","metadata":${fields}}`,
    ),
    'bad items': inField(badValue.map(items)),
    'bad items alone': badValue.map(items),
    'a long number': inField(number(size)),
    'many long numbers': inField(number(300).map(items)),
    'a long text': inField(
      fc
        .tuple(unit, fc.constantFrom('', '@', 'x', '-', 'https://'))
        .map(([letter, start]) => `"${start}${fill(letter, size)}"`),
    ),
    'a long name': fc
      .tuple(unit, fc.boolean(), fc.constantFrom('', '"__proto__":1,'))
      .map(([letter, twice, before]) => {
        const long = `"${fill(letter, twice ? size / 2 : size)}":1`
        return `{${before}${twice ? `${long},${long}` : long}}`
      }),
    'long names around a fault': fc
      .tuple(unit, fc.constantFrom('"__proto__":1', '"a":1e999', '"a":1,"a":2'))
      .map(([letter, fault]) => {
        const long = `{"${fill(letter, size / 4)}":`
        return `${long.repeat(3)}{${fault}}${'}'.repeat(3)}`
      }),
    whitespace: fc
      .tuple(fc.constantFrom(' ', '\t', '\n', '\r\n'), name, fc.boolean())
      .map(([blank, field, last]) => {
        const blanks = fill(blank, size)
        return last ? `{"${field}":1}${blanks}x` : `${blanks}{${blanks.slice(0, 9)}"${field}" :1}`
      }),
    nesting: fc
      .tuple(fc.constantFrom('[', '{"a":', '[{"a":'), fc.boolean())
      .map(([open, closed]) => {
        const levels = fill(open, closed ? size / 2 : size)
        const close = [...levels.matchAll(/[[{]/g)].map(([at]) => (at === '[' ? ']' : '}'))
        return closed ? `${levels}1${close.reverse().join('')}` : levels
      }),
    'duplicate names': fc
      .tuple(unit, fc.constantFrom('', '"b":1,'))
      .map(([letter, first]) => `{${first}${list(size, () => `"${letter}":1`)}}`),
    // Names that are array indexes had one bucket for all of them in V8's string table.
    'names of one hash': fc
      .integer({ min: 10, max: 22 })
      .map((power) => `{${list(size, (at) => `"${(at + 1) * 2 ** power}":1`)}}`),
    'no JSON': fc
      .tuple(fc.constantFrom('"', '\\', '{"a', '\u0000', '\ufeff', 'nul', '-', '%', '&', '=', '+'))
      .map(([text]) => fill(text, size)),
  }
  const kinds = Object.entries(texts).map(([kind, text]) =>
    text.map((body): Hostile => ({ kind, body: Buffer.from(body).subarray(0, limit) })),
  )
  const bytes = fc
    .constantFrom(0x80, 0xc0, 0xed, 0xf4, 0xff)
    .map((byte): Hostile => ({ kind: 'no UTF-8', body: Buffer.alloc(limit, byte) }))
  const chunks = flood.map((fields): Hostile => {
    // One byte to a chunk: six bytes of transfer for each.
    const body = Buffer.from(fields).subarray(0, limit / 8)
    const framed = [...body].map((byte) => Buffer.from([0x31, 13, 10, byte, 13, 10]))
    return {
      kind: 'one byte to a chunk',
      headers: ['Transfer-Encoding: chunked'],
      body: Buffer.concat([...framed, Buffer.from('0\r\n\r\n')]),
    }
  })
  return [...kinds, bytes, chunks]
}

const headerNames = (
  'Authorization Idempotency-Key Sandbox-Fault Referer Origin Accept Accept-Language Cookie ' +
  'If-None-Match Range Forwarded X-Forwarded-For Content-Type Content-Encoding Expect User-Agent ' +
  'Sec-Fetch-Site Host X'
).split(' ')

const headerStart = fc.constantFrom(
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

const headerUnit = fc.constantFrom(
  ...[' ', '\t', ',', ';', '"', '=', 'a', '0', '-', '.', '/', '%', '%25', 'é', '[', '://'],
  '0-0,',
  '"a",',
  ' ,',
  '; charset=utf-8',
  'for=1.1.1.1,',
  '_secret_',
  'pi_',
  'Bearer ',
)

const headKinds: readonly fc.Arbitrary<Hostile>[] = [
  ...headerNames.map((header) =>
    fc.tuple(headerStart, headerUnit, fc.constantFrom('', 'x', '\x80')).map(
      ([start, text, end]): Hostile => ({
        kind: `a long ${header}`,
        headers: [`${header}: ${start}${fill(text, headBytes)}${end}`],
      }),
    ),
  ),
  fc.constantFrom(...headerNames).map(
    (header): Hostile => ({
      kind: 'many headers of one name',
      headers: Array.from({ length: 500 }, (_, at) => `${header}: ${at}`),
    }),
  ),
  fc.constantFrom('a', 'x-').map(
    (stem): Hostile => ({
      kind: 'many headers',
      headers: Array.from({ length: 1000 }, (_, at) => `${stem}${at}:`),
    }),
  ),
  fc
    .tuple(
      fc.constantFrom('q', 'after', 'before', 'origin', 'status', 'waitForVersion'),
      headerUnit,
    )
    .map(
      ([field, text]): Hostile => ({
        kind: 'a long query',
        suffix: `?${field}=${fill(inTarget(text), headBytes)}`,
      }),
    ),
  fc
    .constantFrom('&', 'a=&', 'a[b]=1&', '%', '%25', 'waitForVersion=x&', '?', '+')
    .map((text): Hostile => ({ kind: 'many parameters', suffix: `?${fill(text, headBytes)}` })),
  fc
    .constantFrom('/', '/..', '%2f', '%25', '%', ';', '_secret_', '%5fsecret%5f', 'pi_', 'a', '//')
    .map((text): Hostile => ({ kind: 'a long path', suffix: fill(text, headBytes) })),
]

/** Returns a text with the characters that a request line accepts. */
function inTarget(text: string): string {
  return text.replace(/[^\x21-\x7e]/g, '+')
}

/** Items with commas between them, up to a size in characters. */
function list(size: number, item: (at: number) => string): string {
  const items: string[] = []
  let length = 0
  while (length < size) {
    const next = item(items.length)
    length += Buffer.byteLength(next) + 1
    items.push(next)
  }
  return items.slice(0, -1).join(',')
}

/** Repeats a text, up to a size in bytes. */
function fill(text: string, size: number): string {
  return text.repeat(Math.max(1, Math.floor(size / Buffer.byteLength(text))))
}

function repeat(text: string, length: number): string {
  return text.repeat(Math.ceil(length / text.length)).slice(0, Math.max(text.length, length))
}
