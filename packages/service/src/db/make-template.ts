/**
 * Part of the build: `node dist/src/db/make-template.js`.
 *
 * @module
 */
import { makeTemplate } from './template.ts'

await makeTemplate()
