/**
 * The admin token's way in: the fragment of the printed link, gone from the address at once.
 *
 * @module
 */

/** Takes the token out of the address and leaves the rest of it; `undefined` when there is none. */
export function takeToken(): string | undefined {
  const token = readToken(location.hash)
  // What follows leads on into the page: `#TOKEN/intents/ID`.
  const rest = location.hash.slice(44)
  if (token) history.replaceState(null, '', rest ? `#${rest}` : location.pathname)
  return token
}

/** Reads a token, or the whole printed link that carries one; `undefined` when it is neither. */
export function readToken(text: string): string | undefined {
  return /(?:^|#)([\w-]{43})(?:\/.*)?$/.exec(text.trim())?.[1]
}
