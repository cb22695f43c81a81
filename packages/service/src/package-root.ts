/**
 * Finds the folder of this package, from its source and from its build.
 *
 * @module
 */

/** Folder of this package. `src` and `dist` are in it. */
export const packageRoot = new URL('../', import.meta.url)
