import { defineConfig } from 'vitest/config'

export default defineConfig({
  resolve: { conditions: ['source'] },
  ssr: { resolve: { conditions: ['source'] } },
  test: { name: 'explorer', include: ['test/**/*.test.ts'], testTimeout: 120_000 },
})
