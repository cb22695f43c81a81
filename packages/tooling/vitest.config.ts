import { defineConfig } from 'vitest/config'

export default defineConfig({
  test: {
    maxWorkers: 4,
    projects: [
      'packages/*/vitest{,.isolated}.config.ts',
      '!packages/tooling/vitest.config.ts',
      'demo/vitest.config.ts',
      {
        test: {
          // Vitest runs projects in alphabetical order: this one contains the longest files.
          name: 'checks',
          include: ['packages/tooling/**/*.test.{ts,mjs}'],
        },
      },
    ],
  },
})
