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

/** Bundled, because loading zod file by file takes longer than loading the whole package. */
export default defineConfig([
  bundles(
    { ...entries, 'cli/main': 'src/cli/main.ts' },
    {
      target: 'node20',
      plugins: [licenses({ thirdParty: { output: 'dist/licenses.md' } })],
      inputOptions: { ...inputOptions, preserveEntrySignatures: 'allow-extension' },
      outputOptions: { chunkFileNames: 'shared/[name].js' },
    },
  ),
  types(entries),
])
