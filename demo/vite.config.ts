import { defaultClientConditions, defineConfig } from 'vite'

const page = (name: string): string => new URL(`pages/${name}.html`, import.meta.url).pathname

export default defineConfig({
  root: new URL('pages', import.meta.url).pathname,
  resolve: { conditions: ['source', ...defaultClientConditions] },
  build: {
    outDir: '../dist/pages',
    emptyOutDir: true,
    // The policy of the pages allows no data: address.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    rolldownOptions: {
      input: [page('shop'), page('checkout')],
      // The running shop answers this one: only it knows its checkout.
      external: ['/checkout-origin.js'],
    },
  },
})
