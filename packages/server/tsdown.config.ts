import license from 'rollup-plugin-license'
import { defineConfig } from 'tsdown'
import { bundles, inputOptions, types } from '../../scripts/library.ts'

// Its types are those of an ES module, which it is not.
const licenses = license as unknown as typeof license.default

const entries = {
  index: 'src/index.ts',
  'frameworks/node': 'src/frameworks/node.ts',
  'testing/fake-service': 'src/testing/fake-service.ts',
}

/** Returns the name of the file for a shared module: its folder below `src`, or the dependencies. */
function chunkOf(id: string): string | null {
  if (id.includes('/node_modules/')) return 'dependencies'
  // A separate file would make the import slower.
  if (id.includes('/packages/contract/')) return 'client'
  return /\/packages\/server\/src\/(client|checkout)\//.exec(id)?.[1] ?? null
}

/** Bundled, because loading zod file by file takes longer than loading the whole package. */
export default defineConfig([
  bundles(
    { ...entries, 'cli/main': 'src/cli/main.ts' },
    {
      target: 'node20',
      plugins: [licenses({ thirdParty: { output: 'dist/licenses.md' } })],
      inputOptions: { ...inputOptions, preserveEntrySignatures: 'allow-extension' },
      outputOptions: {
        chunkFileNames: 'shared/[name].js',
        // Stack traces show these names.
        codeSplitting: { groups: [{ name: chunkOf }], includeDependenciesRecursively: false },
      },
    },
  ),
  types(entries),
])
