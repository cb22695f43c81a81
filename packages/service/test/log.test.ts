import { sampleKey } from '@pi-checkout/test-support/api-key'
import { pino } from 'pino'
import { expect, test } from 'vitest'
import { z } from 'zod'
import { describeError, logError } from '../src/log.ts'
import { hasSecret, redact } from '../src/redact.ts'

const apiKey = sampleKey('a1B2')
const clientSecret = `pi_${'c'.repeat(24)}_secret_${'S3c'.repeat(14)}`
const jwt = `eyJhbGciOiJFZDI1NTE5In0.eyJzdWIiOiJwaV8xIn0.${'Sig9'.repeat(20)}`
const jwe = `eyJhbGciOiJkaXIifQ..${'iV7x'.repeat(4)}.${'cT'.repeat(30)}.${'tAg1'.repeat(5)}`
const key = `${'aZ3-'.repeat(10)}b_9`
const card = '4242424242424242'

const percent = (character: string): string => `%${character.charCodeAt(0).toString(16)}`
const encodings = [
  (text: string): string => text,
  (text: string): string => text.replace(/[ps_e4]/, percent),
  (text: string): string => text.replace(/[ist]/g, percent),
  ...[1, 2, 4, 6, 12].map((rounds) => (text: string): string => {
    return text.replace(/./g, percent).replaceAll('%', `%${'25'.repeat(rounds - 1)}`)
  }),
]

test.each([
  ['an API key', apiKey, 'a1B2a1B2'],
  ['a client secret', clientSecret, 'S3cS3c'],
  ['the random part of a client secret', '0a1b2c3d'.repeat(8), '0a1b2c3d0a1b'],
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
] as const)('masks %s, also percent-encoded repeatedly or in part', (_, text, secret) => {
  for (const encode of encodings) {
    for (const around of ['', 'value "', 'https://x.example/']) {
      const shown = redact(`${around}${encode(text)}${around && '" and more'}`).toLowerCase()
      for (const form of [secret, encode(secret)]) expect(shown).not.toContain(form.toLowerCase())
    }
  }
})

test('masks an API key and a client secret in capital letters', () => {
  expect(redact(apiKey.toUpperCase())).toBe('PI_SK_TEST_…')
  expect(redact(`/checkout/${clientSecret.toUpperCase()}`)).not.toContain('S3CS3C')
})

test.each([
  'The store rejected a statement: 23505 one_intent_per_key',
  'connect ECONNREFUSED 127.0.0.1:5432',
  'at confirm (file:///srv/node_modules/.pnpm/pg@8.16.3/node_modules/pg/lib/client.js:545:17)',
  'https://shop.example.com/orders/7?lang=hy%20am',
  'req_0123456789abcdefghij of pi_0123456789abcdefghijklmn',
  '2026-11-22T05:50:00.000Z',
])('masks nothing in %s', (text) => {
  expect(redact(text)).toBe(text)
})

test('writes name, code, message, frames, and every cause of an error in one line', () => {
  const cause = Object.assign(new Error(`lost with ${apiKey}`), { code: 'ECONNRESET' })
  const rule = { code: '23505', constraint: 'one_intent_per_key', statement: 's7' }
  const error = Object.assign(new RangeError('No statement ran', { cause }), rule)
  const lines: string[] = []
  const log = pino({}, { write: (line: string) => void lines.push(line) })
  logError(log, error, { event: 'internal_error', requestId: 'req_1' })
  expect(lines.map((line) => JSON.parse(line))).toMatchObject([
    {
      level: 50,
      msg: 'internal_error',
      requestId: 'req_1',
      error: {
        ...rule,
        name: 'RangeError',
        message: 'No statement ran',
        stack: expect.arrayContaining([expect.stringContaining('log.test.ts')]),
        cause: { name: 'Error', code: 'ECONNRESET', message: 'lost with pi_sk_test_…' },
      },
    },
  ])
})

const expired = Object.assign(new Error('claim of hidden-value'), { name: 'JWTExpired' })

test.each([
  ['JSON.parse', () => JSON.parse('{"a": hidden-value}')],
  ['zod', () => z.strictObject({}).parse({ 'hidden-value': 1 })],
  ['jose', async () => await Promise.reject(expired)],
] as const)('replaces a message of %s, which quotes its input', async (_, fail) => {
  const cause: unknown = await Promise.resolve()
    .then(fail)
    .catch((error) => error)
  const described = describeError(new Error('wrapped', { cause }))
  expect(JSON.stringify(described)).not.toContain('hidden-value')
  expect(described.cause?.stack?.[0]).toMatch(/^at /)
})

test('ends a circular chain of causes', () => {
  const error = new Error('round')
  error.cause = error
  expect(JSON.stringify(describeError(error)).length).toBeLessThan(50_000)
})

const credentials = ['pi_sk_test_', 'pi_sk_live_', 'PI_SK_LIVE_', 'pi_1_secret_', 'pi_1_Secret_']

test.each(credentials)('masks %s in a path in every encoding', (credential) => {
  const random = 'Zq7'.repeat(12)
  for (const encode of encodings) {
    const path = `/payment-intents/${encode(credential + random)}`
    expect([path, hasSecret(path)]).toEqual([path, true])
    const shown = [redact(path)]
    for (let round = 0; round < 15; round++) shown.push(unescape(shown.at(-1) ?? ''))
    expect(shown.join(' ')).not.toContain(random.slice(0, 6))
  }
})
