import { defineConfig } from 'vitest/config'

export default defineConfig({
  resolve: { conditions: ['source'] },
  ssr: { resolve: { conditions: ['source', 'module', 'node'] } },
  test: {
    name: 'element',
    include: ['test/**/*.test.{ts,tsx}'],
    testTimeout: 30_000,
    expect: { poll: { timeout: 10_000 } },
    hookTimeout: 60_000,
    globalSetup: ['test/support/build.ts'],
    setupFiles: ['test/quiet-lit.ts'],
  },
})
