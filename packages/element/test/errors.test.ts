// @vitest-environment jsdom
import { expect, test } from 'vitest'
import { CheckoutError, type CheckoutErrorCode, helpFor } from '../src/errors.ts'

const origin = 'https://pay.example'
const noResponse = `No response from ${origin}. Run: npx pi-checkout doctor`

test.each<[CheckoutErrorCode, retryable: boolean, help: string]>([
  ['not_configured', false, "Call defineCheckout with the checkout's origin."],
  ['handoff_failed', true, 'fetchHandoff failed: Error: closed'],
  ['insecure_context', false, 'Serve this page over https.'],
  ['invalid_values', false, 'Pass the id of the handoff unchanged.'],
  ['blocked_by_csp', false, `Add to your policy: frame-src ${origin}`],
  ['cross_origin_isolated', false, 'Remove Cross-Origin-Embedder-Policy.'],
  [
    'origin_not_allowed',
    false,
    `This page is not registered. Run: npx pi-service origins add ${location.origin}`,
  ],
  ['protocol_mismatch', false, 'Update the element.'],
  ['unauthorized', false, 'Create a new handoff.'],
  ['offline', true, noResponse],
  ['unreachable', true, noResponse],
  ['connection_lost', true, noResponse],
  ['internal', true, noResponse],
])('%s names its code, whether another try helps (%s), and its fix', (code, retryable, help) => {
  const error = new CheckoutError(code, { cause: new Error('closed') })
  expect(error).toMatchObject({ name: 'CheckoutError', message: `pi-checkout: ${code}`, retryable })
  expect(helpFor(error, origin)).toBe(help)
})

test.each([
  [{ retryable: false }, false],
  [{ retryable: true }, true],
  [undefined, true],
])('the cause %j of a failed handoff makes it retryable: %s', (cause, retryable) => {
  expect(new CheckoutError('handoff_failed', { cause }).retryable).toBe(retryable)
  expect(new CheckoutError('unauthorized', { cause }).retryable).toBe(false)
})

test('the fix names the type of a cause without text', () => {
  const error = new CheckoutError('handoff_failed', { cause: Object.create(null) })
  expect(helpFor(error, origin)).toBe('fetchHandoff failed: object')
})
