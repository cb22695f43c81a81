import { defineConfig } from 'vitest/config'
import { BaseSequencer, type TestSpecification } from 'vitest/node'

/** Packages are tested from their sources. Browsers are slow on a busy host, and so are processes and databases. */
const shared = {
  resolve: { conditions: ['source'] },
  ssr: { resolve: { conditions: ['source', 'module', 'node'] } },
}
const limits = {
  testTimeout: 120_000,
  hookTimeout: 180_000,
  expect: { poll: { timeout: 10_000 } },
}

/** The longest files, so that none of them runs alone at the end. Some mostly wait. */
const longest =
  /\/(?:packages|consumers|mistakes|killed-instances|explored|cli\/main|plans|explore|examples)\.(?:soak\.)?test\./

class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const isLong = ({ moduleId }: TestSpecification): number => Number(longest.test(moduleId))
    return (await super.sort(files)).sort((one, other) => isLong(other) - isLong(one))
  }
}

/** One project for each folder with tests. */
export default defineConfig({
  test: {
    maxWorkers: 4,
    sequence: { sequencer: LongestFirst },
    projects: [
      // Modules are loaded once for each worker.
      project('contract', 'packages/contract', { isolate: false }),
      project('server', 'packages/server', { isolate: false }),
      project('service', 'packages/service', {
        isolate: false,
        // `--exclude` of the command line would not apply to a project with its own `exclude`.
        include: ['test/**/!(*.isolated).test.ts'],
      }),
      // Their tests replace modules, or the environment.
      project('service, isolated', 'packages/service', {
        include: ['test/**/*.isolated.test.ts'],
      }),
      project('element', 'packages/element', { setupFiles: 'test/quiet-lit.ts' }),
      project('explorer', 'packages/explorer'),
      project('demo', 'demo', { isolate: false }),
      project('checks', '.', {
        include: ['{packages/test-support,scripts}/**/*.test.{ts,mjs}', 'e2e/webkit/*.test.ts'],
      }),
    ],
  },
})

function project(name: string, root: string, options: object = {}) {
  const include = ['test/**/*.test.{ts,tsx}']
  return { ...shared, root, test: { name, include, ...limits, ...options } }
}
