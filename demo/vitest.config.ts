import { defineConfig } from 'vitest/config'

export default defineConfig({
  resolve: { conditions: ['source'] },
  ssr: { resolve: { conditions: ['source'] } },
  test: {
    name: 'demo',
    include: ['test/**/*.test.ts'],
    globalSetup: ['test/build-pages.ts'],
    testTimeout: 20_000,
  },
})
