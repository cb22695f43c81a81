/** Builds the hosted page with planned responses into one document. @module */
import { fileURLToPath } from 'node:url'
import { defaultClientConditions, defineConfig } from 'vite'
import { viteSingleFile } from 'vite-plugin-singlefile'

const here = (path: string): string => fileURLToPath(new URL(path, import.meta.url))

export default defineConfig({
  root: here('..'),
  plugins: [
    {
      name: 'fake-script',
      transformIndexHtml: {
        order: 'pre',
        handler: (html) =>
          html
            .replace('./checkout/main.ts', './fake/main.ts')
            .replace('data-origins=""', 'data-mode="test"'),
      },
    },
    viteSingleFile(),
  ],
  resolve: { conditions: ['source', ...defaultClientConditions] },
  build: {
    outDir: here('../../../element/dist/fake'),
    emptyOutDir: true,
    target: 'es2022',
    modulePreload: false,
    rolldownOptions: { input: here('../checkout.html') },
  },
})
