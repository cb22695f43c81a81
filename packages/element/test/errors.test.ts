// @vitest-environment jsdom
import { expect, test } from 'vitest'
import { configureCheckout } from '../src/configure-checkout.ts'
import { CheckoutError, type CheckoutErrorCode, helpFor } from '../src/errors.ts'

const origin = 'https://pay.example'
configureCheckout({ checkoutOrigin: origin })

test.each<[CheckoutErrorCode, retryable: boolean, help: string]>([
  ['handoff_failed', true, 'closed. Read your server'],
  ['blocked_by_csp', false, `Add to your policy: frame-src ${origin}`],
  ['origin_not_allowed', false, `npx pi-service origins add ${location.origin}`],
  ['order_mismatch', false, 'Let authorize read orderId'],
  ['unreachable', true, `No response from ${origin}. Run: npx pi-checkout doctor`],
])('%s names its code, whether another try helps (%s), and its fix', (code, retryable, help) => {
  const error = new CheckoutError(code, { cause: new Error('closed') })
  expect(error).toMatchObject({ name: 'CheckoutError', message: `pi-checkout: ${code}`, retryable })
  expect(helpFor(error)).toContain(help)
})

test.each([
  [{ retryable: false }, false],
  [{ retryable: true }, true],
  [undefined, true],
])('the cause %j of a failed handoff makes it retryable: %s', (cause, retryable) => {
  expect(new CheckoutError('handoff_failed', { cause }).retryable).toBe(retryable)
  expect(new CheckoutError('unauthorized', { cause }).retryable).toBe(false)
  // Another sign-in, or another look, can help.
  expect(new CheckoutError('status_failed', { cause }).retryable).toBe(true)
})

test('the fix of a handoff that failed without an error names the log', () => {
  const error = new CheckoutError('handoff_failed', { cause: Object.create(null) })
  expect(helpFor(error)).toContain("No reason. Read your server's log.")
})
