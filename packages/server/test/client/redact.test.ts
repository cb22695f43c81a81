import { expect, test } from 'vitest'
import { excerpt, redact, redactedCause } from '../../src/client/redact.ts'

const secrets = ['', 'the-canary']

test.each([
  ['the-canary, and the-canary', '[masked], and [masked]'],
  ['Bearer pi_sk_test_aB3.', 'Bearer [masked].'],
  ['of pi_1_secret_aB3.', 'of [masked].'],
  ['pi_sk_ and _secret_', 'pi_sk_ and _secret_'],
])('masks %s', (text, expected) => {
  expect(redact(text, secrets)).toBe(expected)
})

test('cuts a text after 60 characters, and masks its secrets before', () => {
  expect(excerpt('x'.repeat(60))).toBe('x'.repeat(60))
  expect(excerpt('x'.repeat(61))).toBe(`${'x'.repeat(60)}…`)
  expect(excerpt(`${'x'.repeat(52)}the-canary`, { secrets })).toBe(`${'x'.repeat(52)}[masked]`)
})

test('copies name, message, code, and stack of an error and five causes, without secrets', () => {
  let error: unknown = new Error('a cause too many')
  for (let level = 5; level >= 0; level--) {
    error = Object.assign(new TypeError(`${level} of the-canary`, { cause: error }), {
      code: `E_the-canary`,
      request: { authorization: 'the-canary' },
    })
  }
  let copy = redactedCause(error, secrets)
  for (let level = 0; level <= 5; level++) {
    if (!(copy instanceof Error)) throw new Error(`cause ${level} is missing`)
    expect({ ...copy }).toMatchObject({ name: 'TypeError', code: 'E_[masked]' })
    expect(copy).not.toHaveProperty('request')
    expect(copy.message).toBe(`${level} of [masked]`)
    expect(copy.stack).toMatch(/^TypeError: \d of \[masked\]\n +at /)
    copy = copy.cause
  }
  expect(copy).toBeUndefined()
})

test('copies an error without code, cause, or stack, and nothing else', () => {
  const error = new Error('failed')
  delete error.stack
  const copy = redactedCause(Object.assign(error, { code: 7 }), secrets)
  expect(copy).toMatchObject({ message: 'failed', stack: '' })
  expect(copy).not.toHaveProperty('code')
  expect(copy).not.toHaveProperty('cause')
  expect(redactedCause('the-canary', secrets)).toBeUndefined()
})
