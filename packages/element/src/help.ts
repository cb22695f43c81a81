/**
 * What the developer of a page reads about an error in a test environment: the cause and the fix.
 *
 * @module
 */
import type { CheckoutErrorCode } from './errors.ts'
import { checkoutOrigin } from './origin.ts'

/** Returns what mends an error on this page, with the cause where the code does not say it. */
export function helpFor(code: CheckoutErrorCode): string {
  const checkout = checkoutOrigin()
  const texts: Partial<Record<CheckoutErrorCode, string>> = {
    not_configured: "Call configureCheckout with the checkout's origin.",
    insecure_context: 'Serve this page by https.',
    invalid_values: 'Pass the id of the handoff unchanged.',
    blocked_by_csp: `Add to your policy: frame-src ${checkout}`,
    cross_origin_isolated: 'Remove Cross-Origin-Embedder-Policy.',
    origin_not_allowed: `This page is not registered. Run: npx pi-service origins add ${location.origin}`,
    protocol_mismatch: 'Update the element.',
    unauthorized: 'Create a new handoff.',
  }
  return texts[code] ?? `No response from ${checkout}. Run: npx pi-checkout doctor`
}
