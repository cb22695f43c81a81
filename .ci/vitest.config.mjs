import { defineConfig } from 'vitest/config'
import { LongestFirst } from './longest-first.mjs'

export default defineConfig({
  test: {
    maxWorkers: 3,
    sequence: { sequencer: LongestFirst },
    projects: [
      'packages/*/vitest.config.ts',
      'demo/vitest.config.ts',
      { test: { name: 'workspace', include: ['.ci/test/*.test.mjs'] } },
    ],
  },
})
