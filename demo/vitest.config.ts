import { defineConfig } from 'vitest/config'

export default defineConfig({
  resolve: { conditions: ['source'] },
  ssr: { resolve: { conditions: ['source'] } },
  test: {
    name: 'demo',
    include: ['test/**/*.test.ts'],
    // Modules are loaded once for each worker.
    isolate: false,
    globalSetup: ['test/build-pages.ts', 'test/browser/stack.ts'],
    // Browsers are slow on a busy host.
    testTimeout: 120_000,
    expect: { poll: { timeout: 10_000 } },
    hookTimeout: 60_000,
  },
})
