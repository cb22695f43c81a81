import { expect, test } from 'vitest'
import { apiKeyPattern, paymentIntentIdPattern } from '../../src/merchant-api/spec-decisions.ts'

test('an intent id is safe in a path', () => {
  const ids = ['pi_1-A', 'x'.repeat(128)]
  const others = ['', '..', 'a/b', 'a?', '?a', 'x'.repeat(129)]
  expect([...ids, ...others].filter((id) => paymentIntentIdPattern.test(id))).toEqual(ids)
})

test('an API key has an environment, 30 characters, and a checksum of 6', () => {
  const keys = ['test', 'live'].map((mode) => `pi_sk_${mode}_${'aZ9'.repeat(12)}`)
  const [key = ''] = keys
  const others = [`x${key}`, `${key}a`, key.slice(1), key.slice(0, -1), `${key.slice(0, -1)}-`]
  const secret = key.replace('aZ9', 'a-9')
  expect([...keys, ...others, secret].filter((text) => apiKeyPattern.test(text))).toEqual(keys)
})
