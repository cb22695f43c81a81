import { defineConfig } from 'tsdown'
import { modules, types } from '../../scripts/library.ts'

const entries = {
  index: 'src/index.ts',
  'testing/sandbox-environment': 'src/testing/sandbox-environment.ts',
}

export default defineConfig([
  modules({ ...entries, 'cli/main': 'src/cli/main.ts' }),
  // A type of it is in this library only.
  types(entries, { banner: { dts: '/// <reference lib="esnext.disposable" />' } }),
])
