import { defineConfig } from 'vite'

// The self-contained file, Lit included. The npm package is built by tsc alone.
export default defineConfig({
  resolve: { conditions: ['source', 'module', 'browser', 'production'] },
  build: {
    target: 'es2022',
    emptyOutDir: false,
    lib: { entry: 'src/standalone.ts', formats: ['es'], fileName: () => 'pi-checkout.js' },
    license: { fileName: 'pi-checkout.LICENSES.md' },
    rolldownOptions: { output: { minify: true, comments: false } },
  },
})
