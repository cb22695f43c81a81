import { defineConfig } from 'vitest/config'

export default defineConfig({
  test: {
    maxWorkers: 3,
    projects: [
      'packages/*/vitest.config.ts',
      'demo/vitest.config.ts',
      { test: { name: 'workspace', include: ['.ci/test/*.test.mjs'] } },
    ],
  },
})
