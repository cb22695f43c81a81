import { configDefaults, defineConfig } from 'vitest/config'
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
const soak = '**/*.soak.test.*'

/** These take over a minute each. They start first, so that none of them runs alone at the end. */
const longFiles = [
  'packages',
  'mistakes',
  'model',
  'killed-instances',
  'rolling-restart',
  'crashes',
]

class LongFilesFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const isLong = ({ moduleId }: TestSpecification): boolean =>
      longFiles.some((name) => moduleId.includes(`/${name}.soak.test.`))
    const sorted = await super.sort(files)
    return [...sorted.filter(isLong), ...sorted.filter((file) => !isLong(file))]
  }
}

/** One project for each folder with tests, without those that take longer, which are the projects `soak…`. */
export default defineConfig({
  test: {
    maxWorkers: 4,
    sequence: { sequencer: LongFilesFirst },
    projects: [
      // Modules are loaded once for each worker.
      project('contract', 'packages/contract', { isolate: false }),
      project('server', 'packages/server', { isolate: false }),
      project('service', 'packages/service', { isolate: false }),
      project('element', 'packages/element', { setupFiles: 'test/quiet-lit.ts' }),
      project('explorer', 'packages/explorer'),
      project('demo', 'demo', { isolate: false }),
      project('checks', '.', { include: ['scripts/**/*.test.mjs'] }),
      project('soak', '.', {
        include: [`{demo,packages/!(service),scripts,e2e/webkit}/${soak}`],
        exclude: configDefaults.exclude,
      }),
      project('soak of service', 'packages/service', {
        include: [soak],
        exclude: configDefaults.exclude,
      }),
    ],
  },
})

function project(name: string, root: string, options: object = {}) {
  const include = ['test/**/*.test.{ts,tsx}']
  const exclude = [...configDefaults.exclude, soak]
  return { ...shared, root, test: { name, include, exclude, ...limits, ...options } }
}
