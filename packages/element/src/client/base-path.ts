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

/** Segments without dots alone, and of characters that need no encoding. */
const segments = /^(\/(?!\.+(\/|$))[\w.~-]+)+$/
