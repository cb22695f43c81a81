/**
 * Builds what the browser tests use, once per run: the self-contained file as it is published, and
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
    /** JavaScript of the shop's page, and of a page in React. */
    bundles: Record<'shop' | 'react', string>
  }
}

const root = fileURLToPath(new URL('../..', import.meta.url))

export async function setup(project: TestProject): Promise<void> {
  project.provide('standalone', await bundleOf({ configFile: `${root}/vite.config.ts` }))
  project.provide('bundles', {
    shop: await shopBundle('test/support/shop-entry.ts'),
    react: await shopBundle('test/support/react-page.tsx'),
  })
}

/** Bundles as a shop's own Vite would. */
function shopBundle(entry: string): Promise<string> {
  return bundleOf({
    configFile: false,
    // The runner's NODE_ENV is no shop's.
    oxc: { jsx: { development: false } },
    define: { 'process.env.NODE_ENV': '"production"' },
    resolve: { conditions: ['source', 'module', 'browser', 'production'] },
    build: { lib: { entry, formats: ['es'], fileName: () => 'bundle.js' } },
  })
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
