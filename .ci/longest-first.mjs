// The order of the unit tests: what takes longest begins first, so that at the end no worker is alone.
// Vitest itself would take one room after the other.
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { BaseSequencer } from 'vitest/node'

const root = fileURLToPath(new URL('..', import.meta.url))

/** Every file of more than ten seconds on two cores. The others follow, and fill the gaps. */
const longest = [
  'packages/service/test/checkout/hosted-page.test.ts',
  'demo/test/browser/screens.test.ts',
  'packages/service/test/checkout/hosted-page-safety.test.ts',
  'packages/service/test/sandbox/inspector.test.ts',
  'packages/element/test/playground.test.ts',
  'packages/element/test/testing.test.ts',
  'packages/element/test/access.test.ts',
  'packages/service/test/checkout/hosted-page-access.test.ts',
  'packages/element/test/failures.test.ts',
  'packages/element/test/lifecycle.test.ts',
  'packages/server/test/fault-matrix.test.ts',
  'packages/service/test/sandbox/control.test.ts',
  'packages/service/test/cli.test.ts',
  '.ci/test/packages.test.mjs',
  'packages/test-support/crash-test/crash-test.test.ts',
  'packages/element/test/hostile.test.ts',
  'demo/test/browser/examples.test.ts',
  'packages/element/test/size.test.ts',
  'packages/element/test/mounting.test.ts',
  'packages/element/test/protocol.test.ts',
  'packages/service/test/image.test.ts',
  'packages/element/test/memory.test.ts',
  'packages/service/test/postgres.test.ts',
  'packages/element/test/secret.test.ts',
  '.ci/test/docs.test.mjs',
  'packages/service/test/kill.test.ts',
  'packages/element/test/redirects.test.ts',
  'packages/service/test/checkout/hosted-page-firefox.test.ts',
  'packages/element/test/templates.test.ts',
  'demo/test/browser/trouble.test.ts',
].map((name) => join(root, name))

export class LongestFirst extends BaseSequencer {
  async sort(specs) {
    const gone = longest.filter((path) => !existsSync(path))
    if (gone.length > 0)
      throw new Error(`.ci/longest-first.mjs names ${gone.join(', ')}: not there`)
    const sorted = await super.sort(specs)
    return sorted.sort((one, other) => placeOf(one) - placeOf(other))
  }
}

function placeOf({ moduleId }) {
  const at = longest.indexOf(moduleId)
  return at === -1 ? longest.length : at
}
