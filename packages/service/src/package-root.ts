/** Finds the folder of this package, from its source and from its build. @module */
import { join } from 'node:path'

export const packageRoot = join(import.meta.dirname, '..')
