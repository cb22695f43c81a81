import config from './vitest.config.ts'

/** Tests that replace modules, which no other test may share. */
export default {
  ...config,
  test: {
    ...config.test,
    name: 'service, isolated',
    include: ['test/**/*.isolated.test.ts'],
    isolate: true,
  },
}
