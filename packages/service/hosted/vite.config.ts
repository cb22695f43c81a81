import { fileURLToPath } from 'node:url'
import { defaultClientConditions, defineConfig, type Plugin } from 'vite'

const here = (path: string): string => fileURLToPath(new URL(path, import.meta.url))

/** Puts the style sheet of the hosted page into the page, so that it is painted without another request. */
const inlineStyles: Plugin = {
  name: 'inline-styles',
  transformIndexHtml: {
    order: 'post',
    handler: (html, { bundle = {}, path }) => {
      if (path !== '/checkout.html') return html
      return html.replace(/<link rel="stylesheet"[^>]*href="\/([^"]+)">/, (_, name: string) => {
        const sheet = bundle[name]
        if (sheet?.type !== 'asset') throw new Error(`${name} is not a style sheet`)
        delete bundle[name]
        return `<style>${String(sheet.source).trim()}</style>`
      })
    },
  },
}

export default defineConfig({
  root: here('.'),
  base: '/',
  plugins: [inlineStyles],
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
