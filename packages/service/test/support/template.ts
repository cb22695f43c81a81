/** Before all tests: creates the prepared database, unless the build has. @module */
import { makeTemplate, templateBlob } from '../../src/db/embedded/template.ts'

export async function setup(): Promise<void> {
  if (!(await templateBlob())) await makeTemplate()
}
