import { defineConfig } from 'vite'

/**
 * The published build is bundled: loading zod file by file takes longer than loading the whole package.
 * jose is external, because only the first handoff loads it.
 */
export default defineConfig({
  build: {
    ssr: true,
    target: 'node20',
    emptyOutDir: true,
    license: { fileName: 'licenses.md' },
    rolldownOptions: {
      input: Object.fromEntries(
        [
          'index',
          'browser',
          'frameworks/express',
          'frameworks/node',
          'testing/fake-service',
          'cli/main',
        ].map((name) => [name, `src/${name}.ts`]),
      ),
      output: { entryFileNames: '[name].js', chunkFileNames: 'shared/[name].js' },
    },
  },
  ssr: {
    noExternal: ['@pi-checkout/contract', 'zod', 'canonicalize'],
    external: ['jose'],
    resolve: { conditions: ['source'], externalConditions: [] },
  },
})
