/** Creates the template. The build runs `node dist/db/embedded/make-template.js`. @module */
import { makeTemplate } from './template.ts'

await makeTemplate()
