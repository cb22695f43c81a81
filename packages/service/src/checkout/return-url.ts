/**
 * Where a full-page challenge returns to: the merchant's own page, and only if its origin is registered.
 *
 * @module
 */
import { readOrigin } from '@pi-checkout/contract/origin'

/** Greatest length of an address: common servers and proxies accept request lines of 8 KB. */
export const longestReturnUrl = 8192

/**
 * Checks the address of the page around the hosted page.
 *
 * The buyer returns to exactly this address: a signature over its query stays valid, and a router that
 * uses the fragment finds its page.
 *
 * @returns The address to keep, or `undefined`: no redirect goes there.
 */
export function readReturnUrl(text: string, registered: readonly string[]): string | undefined {
  if (text.length > longestReturnUrl || text.includes('\\') || !URL.canParse(text)) return undefined
  const url = new URL(text)
  // Browsers drop tabs and line breaks from an address: what was checked must be what is followed.
  if (url.username || url.password || /[\s\p{Cc}]/u.test(text)) return undefined
  // The origin of `blob:https://shop.example/1` is the shop's; its address is not.
  if (!url.href.startsWith(`${url.origin}/`)) return undefined
  if (readOrigin(url.origin) === undefined || !registered.includes(url.origin)) return undefined
  // A browser's own spelling is kept, byte for byte, if a header can carry it.
  const isPlain = text.startsWith(`${url.origin}/`) && /^[\x21-\x7e]+$/.test(text)
  return isPlain ? text : url.href
}
