import { fileURLToPath } from 'node:url'
import { defaultClientConditions, defineConfig } from 'vite'

const here = (path: string): string => fileURLToPath(new URL(path, import.meta.url))

export default defineConfig({
  root: here('.'),
  base: '/',
  resolve: { conditions: ['source', ...defaultClientConditions] },
  build: {
    outDir: here('../dist/hosted'),
    emptyOutDir: true,
    assetsDir: 'checkout-assets',
    target: 'es2022',
    modulePreload: { polyfill: false },
    // The pages' policy has no data: in any directive.
    assetsInlineLimit: 0,
    rolldownOptions: {
      input: {
        checkout: here('checkout.html'),
        error: here('error.html'),
        testBank: here('test-bank.html'),
        inspector: here('inspector.html'),
        docs: here('docs.css'),
      },
      output: {
        // The API documentation, which the service renders, loads it by this name.
        assetFileNames: ({ names }) =>
          names.includes('docs.css') ? 'docs.css' : 'checkout-assets/[name]-[hash][extname]',
      },
    },
  },
})
