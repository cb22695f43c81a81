/** The rule for `base-path`. @module */

/**
 * Returns the path before the names of both routes, or `undefined` for a path that could leave the page's origin or folder.
 *
 * @param basePath - Such as `/checkout`. `/` for routes at the root.
 */
export function readBasePath(basePath: string): string | undefined {
  if (basePath === '/') return ''
  return segments.test(basePath) ? basePath : undefined
}

/** What RFC 3986 allows in segments, without dot segments, and without an encoded slash or percent sign. */
const segments =
  /^(?:\/(?!(?:\.|%2e)+(?:\/|$))(?:[\w.~!$&'()*+,;=:@-]|%(?!2f|5c|25)[\da-f]{2})+)+$/i
