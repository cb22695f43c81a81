import { defaultClientConditions, defineConfig } from 'vite'

export default defineConfig({
  root: new URL('pages', import.meta.url).pathname,
  resolve: { conditions: ['source', ...defaultClientConditions] },
  build: {
    outDir: '../dist/pages',
    emptyOutDir: true,
    // The server prints the names of the built files into the pages.
    manifest: true,
    // The policy of the pages allows no data: address.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    rolldownOptions: {
      input: ['page.ts', 'checkout.ts', 'styles/shop.css'].map(
        (name) => new URL(`pages/${name}`, import.meta.url).pathname,
      ),
    },
  },
})
