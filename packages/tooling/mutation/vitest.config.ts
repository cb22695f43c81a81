import { defineConfig } from 'vitest/config'

/** The tests of one group of `main.mjs`. */
export default defineConfig({
  resolve: { conditions: ['source'] },
  ssr: { resolve: { conditions: ['source', 'module', 'node'] } },
  test: {
    root: process.cwd(),
    include: process.env.MUTATION_TESTS?.split(' ') ?? [],
    exclude: process.env.MUTATION_EXCLUDED?.split(' ') ?? [],
    setupFiles: ['packages/element/test/quiet-lit.ts'],
    testTimeout: 5_000,
    isolate: false,
  },
})
