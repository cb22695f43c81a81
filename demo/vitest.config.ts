import { defineConfig } from 'vitest/config'

export default defineConfig({
  resolve: { conditions: ['source'] },
  ssr: { resolve: { conditions: ['source'] } },
  test: {
    name: 'demo',
    include: ['test/**/*.test.ts'],
    globalSetup: ['test/build-pages.ts', 'test/browser/house.ts'],
    testTimeout: 20_000,
  },
})
