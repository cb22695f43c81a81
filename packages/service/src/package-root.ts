/** Finds the folder of this package, from its source and from its build. @module */
import { join } from 'node:path'

/** Folder of this package. `src` and `dist` are in it. */
export const packageRoot = join(import.meta.dirname, '..')
