/** The origins from which a shop's pages may send requests. @module */
import { checkedOrigin } from '../client/configuration.ts'
import { ConfigurationError } from '../client/errors.ts'

/**
 * Reads the option `shopOrigin`.
 *
 * @throws {ConfigurationError} If it is no origin, or that of the hosted checkout.
 */
export function readShopOrigins(shopOrigin: string | readonly string[]): readonly string[] {
  const origins = [shopOrigin].flat()
  // An empty list is no origin.
  return (origins.length === 0 ? [undefined] : origins).map(readShopOrigin)
}

function readShopOrigin(value: unknown): string {
  const origin = checkedOrigin(value, { name: 'shopOrigin', of: 'createCheckout()' })
  const checkoutOrigin = globalThis.process?.env?.PI_CHECKOUT_ORIGIN?.replace(/\/$/, '')
  if (origin !== checkoutOrigin) return origin
  throw new ConfigurationError(
    'shopOrigin',
    "is the hosted checkout's, PI_CHECKOUT_ORIGIN. Set shopOrigin to the origin of the shop's pages. The hosted checkout's is checkoutOrigin.",
  )
}
