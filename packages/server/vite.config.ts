import { defineConfig } from 'vite'

/**
 * The published build is bundled: zod alone takes longer to load, file by file, than a whole peer.
 * jose stays outside, because it is loaded by the first handoff and by nothing else.
 */
export default defineConfig({
  build: {
    ssr: true,
    target: 'node20',
    emptyOutDir: true,
    license: { fileName: 'licenses.md' },
    rolldownOptions: {
      input: Object.fromEntries(
        ['index', 'browser', 'express', 'node', 'testing', 'cli'].map((name) => [
          name,
          `src/${name}.ts`,
        ]),
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
