/**
 * Builds what the browser tests serve, once per run: the self-contained file as it is published, and
 * the npm entries as a shop's own bundler would make them.
 *
 * @module
 */
import { fileURLToPath } from 'node:url'
import { build, type InlineConfig, type Rolldown } from 'vite'
import type { TestProject } from 'vitest/node'

declare module 'vitest' {
  interface ProvidedContext {
    standalone: string
    bundle: string
  }
}

const root = fileURLToPath(new URL('../..', import.meta.url))

export async function setup(project: TestProject): Promise<void> {
  project.provide('standalone', await bundleOf({ configFile: `${root}/vite.config.ts` }))
  project.provide(
    'bundle',
    await bundleOf({
      configFile: false,
      resolve: { conditions: ['source', 'module', 'browser', 'production'] },
      build: { lib: { entry: 'test/browser/shop.ts', formats: ['es'], fileName: () => 'shop.js' } },
    }),
  )
}

async function bundleOf(config: InlineConfig): Promise<string> {
  const built = await build({
    ...config,
    root,
    logLevel: 'error',
    mode: 'production',
    build: { ...config.build, write: false },
  })
  const [output] = built as Rolldown.RolldownOutput[]
  const chunk = output?.output.find((file) => file.type === 'chunk')
  if (!chunk) throw new Error('vite built no chunk')
  return chunk.code
}
