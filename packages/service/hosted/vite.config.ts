import { fileURLToPath } from 'node:url'
import { defaultClientConditions, defineConfig, type Plugin } from 'vite'

const here = (path: string): string => fileURLToPath(new URL(path, import.meta.url))

/**
 * Puts the style sheet of the hosted page into the page, so that it is painted without another request. Names every
 * script in it and in the preloading page, so that all of them load at the same time.
 */
const hostedPage: Plugin = {
  name: 'hosted-page',
  transformIndexHtml: {
    order: 'post',
    handler: (html, { bundle = {}, path }) => {
      if (path !== '/checkout.html' && path !== '/preload.html') return html
      const chunks = Object.values(bundle).filter((file) => file.type === 'chunk')
      const scripts = chunks.filter(({ name }) => name === 'checkout' || name === 'form')
      const files = new Set(scripts.flatMap(({ fileName, imports }) => [fileName, ...imports]))
      const links = [...files].map((file) => `<link rel="modulepreload" href="/${file}">`).join('')
      if (path === '/preload.html') return html.replace('</head>', `${links}</head>`)
      return html.replace(/<link rel="stylesheet"[^>]*href="\/([^"]+)">/, (_, name: string) => {
        const sheet = bundle[name]
        if (sheet?.type !== 'asset') throw new Error(`${name} is not a style sheet`)
        delete bundle[name]
        return `${links}<style>${String(sheet.source).trim()}</style>`
      })
    },
  },
}

export default defineConfig({
  root: here('.'),
  base: '/',
  plugins: [hostedPage],
  resolve: { conditions: ['source', ...defaultClientConditions] },
  build: {
    outDir: here('../dist/hosted'),
    emptyOutDir: true,
    assetsDir: 'checkout-assets',
    target: 'es2022',
    // `hostedPage` writes the links. The other pages have few scripts.
    modulePreload: false,
    // The pages' policy has no data: in any directive.
    assetsInlineLimit: 0,
    rolldownOptions: {
      input: {
        checkout: here('checkout.html'),
        preload: here('preload.html'),
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
