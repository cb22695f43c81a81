/** The npm entries as a shop bundles them for its page. @module */
export * from '../../src/client/index.ts'
export * from '../../src/index.ts'
