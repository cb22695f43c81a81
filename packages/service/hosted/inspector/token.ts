/**
 * Reads the admin token from the fragment of the printed link, and removes it from the address.
 *
 * @module
 */

/** Removes the token from the address and returns it; `undefined` if there is none. */
export function takeToken(): string | undefined {
  const token = readToken(location.hash)
  // The rest is the location in the page: `#TOKEN/intents/ID`.
  const rest = location.hash.slice(44)
  if (token) history.replaceState(null, '', rest ? `#${rest}` : location.pathname)
  return token
}

/** Reads a token, or the printed link that contains one. */
export function readToken(text: string): string | undefined {
  return /(?:^|#)([\w-]{43})(?=\/|$)/.exec(text.trim())?.[1]
}
