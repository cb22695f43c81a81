/**
 * Where this package is, from its source and from its build alike.
 *
 * @module
 */

/** The package's folder: `src` is one level below it, the compiled `dist/src` two. */
export const packageRoot = new URL(
  import.meta.url.endsWith('.ts') ? '../' : '../../',
  import.meta.url,
)
