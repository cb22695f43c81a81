/** Builds the hosted page with planned responses into one document. @module */
import { fileURLToPath } from 'node:url'
import { defaultClientConditions, defineConfig, type Plugin } from 'vite'

const here = (path: string): string => fileURLToPath(new URL(path, import.meta.url))

/** The hosted page, whose script is `main.ts` of this folder, and whose files are inside of it. */
const oneDocument: Plugin[] = [
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
  {
    name: 'one-document',
    // After Vite's own plugins have completed the script.
    generateBundle: {
      order: 'post',
      handler: (_, bundle) => {
        const files = Object.values(bundle)
        const text = (end: string): string =>
          files
            .filter(({ fileName }) => fileName.endsWith(end))
            .map((file) => (file.type === 'chunk' ? file.code : String(file.source)))
            .join('\n')
        const page = files.find(({ fileName }) => fileName.endsWith('.html'))
        if (page?.type !== 'asset') throw new Error('There is no page')
        page.source = String(page.source)
          .replace(/<link rel="stylesheet"[^>]*>/, () => `<style>${text('.css')}</style>`)
          .replace(/<script type="module"[^>]*><\/script>/, '')
          .replace(
            '</body>',
            () => `<script type="module">${text('.js').replaceAll('</', '<\\/')}</script></body>`,
          )
        for (const { fileName } of files) if (fileName !== page.fileName) delete bundle[fileName]
      },
    },
  },
]

export default defineConfig({
  root: here('..'),
  plugins: oneDocument,
  resolve: { conditions: ['source', ...defaultClientConditions] },
  build: {
    outDir: here('../../../element/dist/fake'),
    emptyOutDir: true,
    target: 'es2022',
    modulePreload: false,
    assetsInlineLimit: 1_000_000,
    cssCodeSplit: false,
    rolldownOptions: { input: here('../checkout.html'), output: { codeSplitting: false } },
  },
})
