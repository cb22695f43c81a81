import { expect, test } from 'vitest'
import { readJson } from '../../src/http/json.ts'

const lossy = 'must be a number that a double represents exactly, such as an integer up to 2^53 - 1'
const tooLong = 'must be a number of at most 40 characters'
const repeated = 'is repeated; send each name once'
const forbidden = 'is not allowed as a name'
const messages = {
  duplicate_name: 'The body repeats a name in one object.',
  forbidden_key: 'The body has a name that is not allowed.',
  too_long: 'The body has a number that is too long.',
  lossy_number: 'The body has a number that loses digits.',
}

/** A text, the error of its field, and what is wrong. */
const fields: [string, keyof typeof messages, string, string][] = [
  ['{"amount":1,"amount":2}', 'duplicate_name', '/amount', `amount ${repeated}`],
  ['{"amount":1,"\\u0061mount":2}', 'duplicate_name', '/amount', `amount ${repeated}`],
  ['{"a":[{},{"b":[1,2],"b":1}]}', 'duplicate_name', '/a/1/b', `a.1.b ${repeated}`],
  ['{"a":"\\\\","a":1}', 'duplicate_name', '/a', `a ${repeated}`],
  ['{"amount":9007199254740993}', 'lossy_number', '/amount', `amount ${lossy}`],
  ['{"a":[1,{"x":[0]},1e400]}', 'lossy_number', '/a/2', `a.2 ${lossy}`],
  ['[[],[],-1e400]', 'lossy_number', '/2', `2 ${lossy}`],
  ['{"a":1234567890.12345678}', 'lossy_number', '/a', `a ${lossy}`],
  ['{"a":4e-324}', 'lossy_number', '/a', `a ${lossy}`],
  ['{"a":1e-400}', 'lossy_number', '/a', `a ${lossy}`],
  [`{"a":1.${'0'.repeat(60_000)}1}`, 'too_long', '/a', `a ${tooLong}`],
  [`{"a":1e${'0'.repeat(60_000)}1}`, 'too_long', '/a', `a ${tooLong}`],
  [`{"a":-1${'0'.repeat(39)}}`, 'too_long', '/a', `a ${tooLong}`],
  ...['__proto__', 'constructor', 'prototype'].map((name): (typeof fields)[number] => [
    `{"metadata":{"${name}":"x"}}`,
    ...(['forbidden_key', `/metadata/${name}`, `metadata.${name} ${forbidden}`] as const),
  ]),
]
for (const [text, code, pointer, detail] of fields) {
  test(`rejects ambiguous JSON: ${text.slice(0, 60)} (threat 19)`, () => {
    expect(() => readJson(Buffer.from(text))).toThrow(
      expect.objectContaining({
        code: code === 'duplicate_name' ? 'invalid_body' : 'validation_failed',
        message: messages[code],
        errors: [{ code, pointer, detail }],
      }),
    )
  })
}

for (const [text, code, message] of [
  ['', 'malformed_json', 'The body is empty. Send a JSON object.'],
  ['{"amount":1', 'malformed_json', 'The body is not well-formed JSON.'],
  ['\uFEFF{}', 'malformed_json', 'The body is not well-formed JSON.'],
  [Buffer.of(0x22, 0xff, 0x22), 'invalid_body', 'The body must be UTF-8 text.'],
  [nested(6), 'invalid_body', 'The body must not nest deeper than 5 levels.'],
  [nested(20_000), 'invalid_body', 'The body must not nest deeper than 5 levels.'],
] as const) {
  test(`rejects ${String(text).slice(0, 20) || 'an empty body'}: ${message}`, () => {
    const problem = expect.objectContaining({ code, message, errors: [] })
    expect(() => readJson(Buffer.from(text))).toThrow(problem)
  })
}

test.each([
  '0',
  '-0.5',
  '100.0',
  '1e2',
  '1E+2',
  '10000e-2',
  '9007199254740991',
  '-1.5e300',
  '5e-324',
  '1.7976931348623157e308',
  '0.0000000000000000',
  '0.10000000000000000',
  '0e5',
  '1.50e1',
  `1${'0'.repeat(39)}`,
  '1000000000000000000000',
  '-9007199254740991.0',
  '0.00012e3',
  '-0e1',
  '"\\""',
  '{"a\\\\":1,"a":"\\\\\\"","b":"a"}',
  '["{","}","[1,1]",",","a","a"]',
  ' [ 1 , 1 ] ',
  '{"a":"a","b":{"a":1}}',
  '{"a":[{"b":1},{"b":1}],"b":["x","x"]}',
  '{"a":1,"A":1}',
  nested(5),
  '{"a":{"b":[{}]},"b":"b"}',
  '{"constructors":"__proto__"}',
  'null',
  'true',
  '{"é":"֏😀"}',
])('reads %s', (text) => {
  expect(readJson(Buffer.from(text))).toEqual(JSON.parse(text))
})

function nested(levels: number): string {
  return `${'['.repeat(levels)}${']'.repeat(levels)}`
}
