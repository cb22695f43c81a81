import { defineConfig } from 'tsdown'
import { types } from '../../scripts/library.ts'

const entries = {
  index: 'src/index.ts',
  'client/index': 'src/client/index.ts',
  'testing/index': 'src/testing/index.ts',
  'frameworks/react': 'src/frameworks/react.ts',
  'frameworks/vue': 'src/frameworks/vue.ts',
  'frameworks/svelte': 'src/frameworks/svelte.ts',
}

/** Next to the code, which contains Lit, and which Vite has built. */
export default defineConfig(types(entries, { clean: false }))
