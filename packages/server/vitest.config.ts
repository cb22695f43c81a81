import { defineConfig } from 'vitest/config'

export default defineConfig({
  resolve: { conditions: ['source'] },
  ssr: { resolve: { conditions: ['source'] } },
  test: {
    name: 'server',
    include: ['test/**/*.test.ts'],
    // Modules, and PostgreSQL in WebAssembly, are loaded once for each worker.
    isolate: false,
    testTimeout: 30_000,
    expect: { poll: { timeout: 10_000 } },
  },
})
