/**
 * Builds what the browser tests use, once per run: the self-contained file as it is published, and
 * the npm entries as a shop's own bundler would make them.
 *
 * @module
 */
import { fileURLToPath } from 'node:url'
import { compile } from 'svelte/compiler'
import { build, type InlineConfig, type Plugin, type Rolldown } from 'vite'
import type { TestProject } from 'vitest/node'
import { compileScript, parse } from 'vue/compiler-sfc'

declare module 'vitest' {
  interface ProvidedContext {
    standalone: string
    /** JavaScript of the shop's page, and of each framework's sample, by name. */
    bundles: Record<'shop' | 'react' | 'vue' | 'svelte', string>
  }
}

const root = fileURLToPath(new URL('../..', import.meta.url))

export async function setup(project: TestProject): Promise<void> {
  project.provide('standalone', await bundleOf({ configFile: `${root}/vite.config.ts` }))
  project.provide('bundles', {
    shop: await shopBundle('test/support/shop-entry.ts'),
    react: await shopBundle('samples/react.tsx'),
    vue: await shopBundle('samples/vue.ts'),
    svelte: await shopBundle('samples/svelte.ts'),
  })
}

/** Bundles as a shop's own Vite would. */
function shopBundle(entry: string): Promise<string> {
  return bundleOf({
    configFile: false,
    plugins: [svelte(), vue()],
    // The runner's NODE_ENV is no shop's.
    oxc: { jsx: { development: false } },
    define: {
      'process.env.NODE_ENV': '"production"',
      __VUE_OPTIONS_API__: 'false',
      __VUE_PROD_DEVTOOLS__: 'false',
      __VUE_PROD_HYDRATION_MISMATCH_DETAILS__: 'false',
    },
    resolve: { conditions: ['source', 'module', 'browser', 'production'] },
    build: { lib: { entry, formats: ['es'], fileName: () => 'bundle.js' } },
  })
}

/** Svelte's compiler, without a second build tool around it. */
function svelte(): Plugin {
  return {
    name: 'svelte',
    transform: {
      order: 'pre',
      filter: { id: /\.svelte$/ },
      handler: (code, filename) => compile(code, { filename, generate: 'client' }).js,
    },
  }
}

/** Vue's compiler, likewise. A shop tells its own plugin of the tag in the same words. */
function vue(): Plugin {
  const compilerOptions = { isCustomElement: (tag: string) => tag === 'pi-checkout' }
  return {
    name: 'vue',
    transform: {
      order: 'pre',
      filter: { id: /\.vue$/ },
      handler: (code, filename) => {
        const { descriptor } = parse(code, { filename, templateParseOptions: compilerOptions })
        const templateOptions = { compilerOptions }
        const { content } = compileScript(descriptor, {
          id: filename,
          inlineTemplate: true,
          templateOptions,
        })
        return { code: content, moduleType: 'ts' }
      },
    },
  }
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
