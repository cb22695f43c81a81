/**
 * Part of the build: `node dist/db/embedded/make-template.js`.
 *
 * @module
 */
import { makeTemplate } from './template.ts'

await makeTemplate()
