/** Finds the folders of this package, from its source and from its build. @module */
import { join } from 'node:path'

export const packageRoot = join(import.meta.dirname, '..')

/** Has the built pages, and the files that they load. */
export const hostedFolder = join(packageRoot, 'dist/hosted')
