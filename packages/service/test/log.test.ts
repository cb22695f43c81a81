import pino from 'pino'
import { expect, test } from 'vitest'
import { z } from 'zod'
import { describeError, logError } from '../src/log.ts'
import { redact } from '../src/redact.ts'

const apiKey = `pi_sk_test_${'a1B2'.repeat(9)}`
const clientSecret = `pi_${'c'.repeat(24)}_secret_${'S3c'.repeat(14)}`
const jwt = `eyJhbGciOiJFZDI1NTE5In0.eyJzdWIiOiJwaV8xIn0.${'Sig9'.repeat(20)}`
const jwe = `eyJhbGciOiJkaXIifQ..${'iV7x'.repeat(4)}.${'cT'.repeat(30)}.${'tAg1'.repeat(5)}`
const key = `${'aZ3-'.repeat(10)}b_9`
const card = '4242424242424242'

/** A secret, and what of it must be nowhere. */
const secrets: readonly (readonly [name: string, text: string, secret: string])[] = [
  ['an API key', apiKey, 'a1B2a1B2'],
  ['a client secret', clientSecret, 'S3cS3c'],
  ['a bearer token', `Bearer ${key}`, 'aZ3-aZ3-'],
  ['a short bearer token', 'bearer abcdef0123', 'abcdef0123'],
  ['a session token', jwt, 'Sig9Sig9'],
  ['an encrypted cookie', jwe, 'cTcTcT'],
  ['a handoff key', `k1:${key}`, 'aZ3-aZ3-'],
  ['an address with a password', 'postgres://shop:hunter@2@db.internal/shop', 'hunter'],
  ['a password of a connection string', 'host=db password=hunter2 dbname=shop', 'hunter2'],
  ['a card number', card, card],
  ['a card number in groups', '4242 4242 4242 4242', '4242 4242'],
  ['a card number of 12 digits', '400000000002', '400000000002'],
  ['a card number of 19 digits', '4000000000000000006', '4000000000000000006'],
]

const encodings: readonly (readonly [name: string, encode: (text: string) => string])[] = [
  ['as it is', (text) => text],
  ['percent-encoded', (text) => text.replace(/./g, percent)],
  ['percent-encoded twice', (text) => text.replace(/./g, percent).replaceAll('%', '%25')],
  ['with one letter encoded', (text) => text.replace(/[ps_e4]/, percent)],
]

function percent(character: string): string {
  return `%${character.charCodeAt(0).toString(16)}`
}

for (const [name, text, secret] of secrets) {
  for (const [how, encode] of encodings) {
    test(`masks ${name} ${how}`, () => {
      for (const around of ['', 'value "', 'https://x.example/']) {
        const shown = redact(`${around}${encode(text)}${around && '" and more'}`)
        for (const form of [secret, encode(secret)]) {
          expect(shown.toLowerCase()).not.toContain(form.toLowerCase())
        }
      }
    })
  }
}

test('masks an API key and a client secret in capital letters', () => {
  expect(redact(apiKey.toUpperCase())).toBe('PI_SK_TEST_…')
  expect(redact(`/checkout/${clientSecret.toUpperCase()}`)).not.toContain('S3CS3C')
})

test('leaves ordinary texts as they are', () => {
  for (const text of [
    'The store rejected a statement: 23505 one_intent_per_key',
    'connect ECONNREFUSED 127.0.0.1:5432',
    'at confirm (file:///srv/node_modules/.pnpm/pg@8.16.3/node_modules/pg/lib/client.js:545:17)',
    'https://shop.example.com/orders/7?lang=hy%20am',
    'req_0123456789abcdefghij of pi_0123456789abcdefghijklmn',
    '2026-11-22T05:50:00.000Z',
  ]) {
    expect(redact(text)).toBe(text)
  }
})

test('takes time in proportion to the length of a text', () => {
  for (const part of [
    '%25',
    '%',
    '://',
    '://@',
    'eyJ',
    'pi_sk_test_',
    '_secret_',
    '1 ',
    'bearer ',
  ]) {
    const begin = performance.now()
    redact(part.repeat(500_000 / part.length))
    expect(performance.now() - begin, part).toBeLessThan(2000)
  }
})

test('writes name, code, message, frames and every cause of an error in one line', () => {
  const cause = Object.assign(new Error(`lost with ${apiKey}`), { code: 'ECONNRESET' })
  const error = Object.assign(new RangeError('No statement ran', { cause }), {
    code: '23505',
    constraint: 'one_intent_per_key',
    statement: 's7',
  })
  const lines: string[] = []
  const log = pino({}, { write: (line: string) => void lines.push(line) })
  logError(log, error, { event: 'internal_error', requestId: 'req_1' })
  expect(lines).toHaveLength(1)
  expect(JSON.parse(lines[0] ?? '')).toMatchObject({
    level: 50,
    msg: 'internal_error',
    requestId: 'req_1',
    error: {
      name: 'RangeError',
      code: '23505',
      message: 'No statement ran',
      constraint: 'one_intent_per_key',
      statement: 's7',
      stack: expect.arrayContaining([expect.stringContaining('log.test.ts')]),
      cause: { name: 'Error', code: 'ECONNRESET', message: 'lost with pi_sk_test_…' },
    },
  })
})

test('replaces messages that quote their input: of zod, of JSON and of jose', () => {
  class JWTExpired extends Error {
    override readonly name = 'JWTExpired'
  }
  const thrown: unknown[] = [new JWTExpired('claim of hidden-value')]
  for (const work of [
    () => JSON.parse('{"a": hidden-value}'),
    () => z.strictObject({}).parse({ 'hidden-value': 1 }),
  ]) {
    try {
      work()
    } catch (error) {
      thrown.push(error)
    }
  }
  expect(thrown).toHaveLength(3)
  for (const error of thrown) {
    const described = describeError(new Error('wrapped', { cause: error }))
    expect(JSON.stringify(described)).not.toContain('hidden-value')
    expect(described.cause?.stack?.[0]).toMatch(/^at /)
  }
})

test('keeps no line of a message that looks like a frame', () => {
  const error = new Error('first\n    at hidden-value\n    at hidden-value')
  expect(JSON.stringify(describeError(error).stack)).not.toContain('hidden-value')
})

test('says of a thrown value that is no error only what type it is', () => {
  expect(describeError('hidden-value')).toEqual({
    name: 'string',
    message: 'The value is not an Error',
  })
})

test('ends a chain of causes that goes in a circle', () => {
  const error = new Error('round')
  error.cause = error
  expect(JSON.stringify(describeError(error)).length).toBeLessThan(50_000)
})
