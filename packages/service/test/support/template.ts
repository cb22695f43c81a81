/**
 * Before all tests: the prepared database that the build would have made.
 *
 * @module
 */
import { makeTemplate, templateBlob } from '../../src/db/template.ts'

export async function setup(): Promise<void> {
  if (!(await templateBlob())) await makeTemplate()
}
