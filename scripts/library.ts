/** How tsdown builds a published package: with what it uses of the contract, which is private. @module */
import type { UserConfig } from 'tsdown'

/** How sources are read: those of the contract are found, and each module gets no comment. */
export const inputOptions = {
  experimental: { attachDebugInfo: 'none' },
  resolve: { conditionNames: ['source', 'import', 'default'] },
} satisfies UserConfig['inputOptions']

const shared = {
  platform: 'neutral',
  hash: false,
  logLevel: 'warn',
  deps: { neverBundle: [/^node:/] },
  inputOptions,
} satisfies UserConfig

/** Each module as one of the same name, from these entries. */
export function modules(entry: Readonly<Record<string, string>>): UserConfig {
  return { ...shared, entry, unbundle: true, treeshake: false, dts: false }
}

/** A few bundles, from these entries. */
export function bundles(entry: Readonly<Record<string, string>>, options: UserConfig): UserConfig {
  return { ...shared, entry, dts: false, ...options }
}

/** The declarations of these entries. */
export function types(
  entry: Readonly<Record<string, string>>,
  options: UserConfig = {},
): UserConfig {
  return {
    ...shared,
    entry,
    // Without the compiler: it has no API.
    dts: { oxc: true, emitDtsOnly: true, tsconfig: false },
    outputOptions: { chunkFileNames: 'types/[name].d.ts' },
    ...options,
  }
}
