import { defineConfig } from 'vitest/config'

export default defineConfig({
  resolve: { conditions: ['source'] },
  ssr: { resolve: { conditions: ['source'] } },
  test: {
    name: 'service',
    include: ['test/**/*.test.ts'],
    globalSetup: './test/support/template.ts',
    // The embedded store's first start takes seconds where the machine is busy.
    hookTimeout: 60_000,
    testTimeout: 30_000,
  },
})
