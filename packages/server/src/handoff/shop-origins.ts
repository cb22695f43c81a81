/** The origins from which a shop's pages may send requests. @module */
import { checkedOrigin } from '../client/configuration.ts'
import { ConfigurationError } from '../client/errors.ts'
import type { Awaitable, HandoffOptions, HookRequest } from './options.ts'

/** Returns the origins at which a request may arrive. */
export type ShopOrigins<Context> = (
  about: () => HookRequest<Context>,
) => Awaitable<readonly string[]>

const of = 'createHandoff()'

/**
 * Reads the option `shopOrigin`.
 *
 * @throws {ConfigurationError} If it is no origin, or that of the hosted checkout.
 */
export function shopOriginsOf<Context>(
  shopOrigin: HandoffOptions<never, Context>['shopOrigin'],
): ShopOrigins<Context> {
  const read = (value: unknown): string => {
    const origin = checkedOrigin(value, { name: 'shopOrigin', of })
    const checkoutOrigin = globalThis.process?.env?.PI_CHECKOUT_ORIGIN?.replace(/\/$/, '')
    if (origin !== checkoutOrigin) return origin
    throw new ConfigurationError(
      'shopOrigin',
      `is the hosted checkout's, PI_CHECKOUT_ORIGIN; received "${origin}". Set shopOrigin to the origin of the shop's pages. The hosted checkout's is checkoutOrigin.`,
    )
  }
  if (typeof shopOrigin === 'function') {
    return async (about) => {
      const origin = await shopOrigin(about())
      return origin === undefined ? [] : [read(origin)]
    }
  }
  const origins = [shopOrigin].flat().map(read)
  if (origins.length === 0) read(undefined)
  return () => origins
}
