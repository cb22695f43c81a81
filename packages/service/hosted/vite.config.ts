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
        refusal: here('refusal.html'),
        challenge: here('challenge.html'),
        inspector: here('inspector.html'),
      },
    },
  },
})
