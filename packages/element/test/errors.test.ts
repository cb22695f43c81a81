import { expect, test } from 'vitest'
import { CheckoutError, type CheckoutErrorCode } from '../src/errors.ts'

test.each<[CheckoutErrorCode, cause: unknown, retryable: boolean, help: string]>([
  ['handoff_failed', new Error('closed'), true, 'closed'],
  ['handoff_failed', Object.create(null), true, 'See the README.'],
  ['handoff_failed', { retryable: true }, true, 'See the README.'],
  ['handoff_failed', { retryable: false }, false, 'See the README.'],
  ['unauthorized', { retryable: true }, false, 'See the README.'],
  // Another sign-in, or another look, can help.
  ['status_failed', { retryable: false }, true, 'See the README.'],
  ['blocked_by_csp', undefined, false, 'See the README.'],
])('%s because of %o names its code, whether another try helps (%s), and its fix', (...row) => {
  const [code, cause, retryable, help] = row
  const error = new CheckoutError(code, { cause })
  const message = `pi-checkout: ${code}. ${help}`
  expect(error).toMatchObject({ name: 'CheckoutError', message, retryable })
})
