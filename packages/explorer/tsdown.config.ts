import { defineConfig } from 'tsdown'
import { modules, types } from '../../scripts/library.ts'

const entries = { index: 'src/index.ts' }

export default defineConfig([
  modules({ ...entries, 'cli/main': 'src/cli/main.ts' }),
  types(entries),
])
