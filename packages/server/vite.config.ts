import { defineConfig } from 'vite'

/** Returns the name of the file for a shared module: its folder below `src`, or the dependencies. */
function chunkOf(id: string): string | null {
  if (id.includes('/node_modules/')) return 'dependencies'
  // A separate file would make the import slower.
  if (id.includes('/packages/contract/')) return 'client'
  return /\/packages\/server\/src\/(client|checkout)\//.exec(id)?.[1] ?? null
}

/**
 * The published build is bundled: loading zod file by file takes longer than loading the whole package.
 */
export default defineConfig({
  plugins: [
    {
      name: 'no-map-of-dependencies',
      // Their sources are not in the package.
      generateBundle: (_options, bundle) => {
        const chunk = bundle['shared/dependencies.js']
        if (chunk?.type !== 'chunk') return
        delete bundle[`${chunk.fileName}.map`]
        chunk.code = chunk.code.replace(/\n\/\/# sourceMappingURL=.*\s*$/, '\n')
      },
    },
  ],
  build: {
    ssr: true,
    target: 'node20',
    emptyOutDir: true,
    sourcemap: true,
    license: { fileName: 'licenses.md' },
    rolldownOptions: {
      input: Object.fromEntries(
        ['index', 'frameworks/node', 'testing/fake-service', 'cli/main'].map((name) => [
          name,
          `src/${name}.ts`,
        ]),
      ),
      output: {
        entryFileNames: '[name].js',
        chunkFileNames: 'shared/[name].js',
        // The package contains its sources.
        sourcemapExcludeSources: true,
        // Stack traces show these names.
        codeSplitting: { groups: [{ name: chunkOf }], includeDependenciesRecursively: false },
      },
    },
  },
  ssr: {
    noExternal: ['@pi-checkout/contract', 'zod', 'canonicalize'],
    resolve: { conditions: ['source'], externalConditions: [] },
  },
})
