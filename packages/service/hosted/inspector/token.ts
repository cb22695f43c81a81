/**
 * The admin token's way in: the fragment of the printed link, gone from the address at once.
 *
 * @module
 */

/** Takes the token out of the address; `undefined` when there is none. */
export function takeToken(): string | undefined {
  const [, token] = /^#([\w-]{43})$/.exec(location.hash) ?? []
  if (token) history.replaceState(null, '', location.pathname)
  return token
}
