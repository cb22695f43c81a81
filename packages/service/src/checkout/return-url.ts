/**
 * Where a full-page challenge returns to: the merchant's own page, and only if its origin is registered.
 *
 * @module
 */
import { readOrigin } from '@pi-checkout/contract/origin'

/**
 * Checks the address of the page around the hosted page.
 *
 * @returns The address to keep, without fragment, or `undefined`: no redirect goes there.
 */
export function readReturnUrl(text: string, registered: readonly string[]): string | undefined {
  if (text.length > 2048 || text.includes('\\') || !URL.canParse(text)) return undefined
  const url = new URL(text)
  // Browsers drop tabs and line breaks from an address: what was checked must be what is followed.
  if (url.username || url.password || /[\s\p{Cc}]/u.test(text)) return undefined
  // The origin of `blob:https://shop.example/1` is the shop's; its address is not.
  if (!url.href.startsWith(`${url.origin}/`)) return undefined
  if (readOrigin(url.origin) === undefined || !registered.includes(url.origin)) return undefined
  url.hash = ''
  return url.href
}

/** The address that the buyer comes back to: a hint, which proves nothing. */
export function returnAddress(page: string, intentId: string): string {
  const url = new URL(page)
  url.searchParams.set('payment_intent', intentId)
  return url.href
}
