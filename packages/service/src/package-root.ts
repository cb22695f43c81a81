/**
 * Where this package is, from its source and from its build alike.
 *
 * @module
 */

/** The package's folder: `src` and `dist` are one level below it. */
export const packageRoot = new URL('../', import.meta.url)
