/** Checks the address to which a full-page challenge redirects: a page on a registered origin. @module */
import { readOrigin } from '@pi-checkout/contract/origin'

/** Maximum length of an address. Common servers and proxies accept request lines of 8 KB. */
export const maxUrlLength = 8192

/**
 * Returns the address for a redirect, if it is on a registered origin. It is not normalized, so that a signature over its
 * query stays valid. Its fragment is kept for routers that use it.
 */
export function readReturnUrl(text: string, registered: readonly string[]): string | undefined {
  if (text.includes('\\') || !URL.canParse(text)) return undefined
  const url = new URL(text)
  // Browsers remove tabs and line breaks from an address, so they would follow another one than checked.
  if (/[\s\p{Cc}]/u.test(text)) return undefined
  // Reject a user name, and `blob:https://shop.example/1`, whose origin is the shop's.
  if (!url.href.startsWith(`${url.origin}/`)) return undefined
  if (readOrigin(url.origin) === undefined || !registered.includes(url.origin)) return undefined
  // Keep the address byte for byte if a header can contain it.
  const isPlain = text.startsWith(`${url.origin}/`) && /^[\x21-\x7e]+$/.test(text)
  const address = isPlain ? text : url.href
  // Percent-encoding makes it longer.
  return address.length > maxUrlLength ? undefined : address
}
