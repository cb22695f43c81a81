import { defineConfig } from 'vitest/config'

export default defineConfig({
  resolve: { conditions: ['source'] },
  ssr: { resolve: { conditions: ['source'] } },
  test: {
    name: 'service',
    include: ['test/**/!(*.isolated).test.ts'],
    // Modules, and PostgreSQL in WebAssembly, are loaded once for each worker.
    isolate: false,
    globalSetup: './test/support/template.ts',
    // Many tests start processes and databases, which takes long where the machine is busy.
    hookTimeout: 180_000,
    testTimeout: 120_000,
    expect: { poll: { timeout: 10_000 } },
  },
})
