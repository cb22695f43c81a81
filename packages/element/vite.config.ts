import { fileURLToPath } from 'node:url'
import { defineConfig, type UserConfig } from 'vite'

/** The self-contained file, Lit included, which the checkout serves. */
const standalone: UserConfig = {
  plugins: [
    {
      name: 'compact-templates',
      // Indentation of styles and markup. A line break that is a space of a text stays.
      transform: (code, id) => {
        if (/checkout-element\.ts/.test(id)) {
          return code.replace(/(?<=[>}`])\n\s+(?=[<$])/g, '').replace(/\n\s+/g, '\n')
        }
        if (!/styles\.ts/.test(id)) return
        return code
          .replace(/(?<=[`;{},])\n\s*|(?<=[:,>~/+]) | (?=[!{>~/+])/g, '')
          .replaceAll(';}', '}')
      },
    },
  ],
  resolve: { conditions: ['source', 'module', 'browser', 'production'] },
  build: {
    target: 'es2022',
    emptyOutDir: false,
    lib: { entry: 'src/standalone.ts', formats: ['es'], fileName: () => 'pi-checkout.js' },
    license: { fileName: 'pi-checkout.LICENSES.md' },
    rolldownOptions: { output: { minify: true, comments: false } },
  },
}

const input = [
  'index',
  'client/index',
  'testing/index',
  'frameworks/react',
  'frameworks/vue',
  'frameworks/svelte',
]

/**
 * The entries of the npm package, with Lit's production build: a shop's development server would resolve Lit to the
 * other one, which prints a warning. Lit's build for Node.js runs in browsers too, and imports where there is no DOM.
 */
const entries: UserConfig = {
  build: {
    ssr: true,
    target: 'es2022',
    license: { fileName: 'licenses.md' },
    rolldownOptions: {
      input: Object.fromEntries(input.map((name) => [name, `src/${name}.ts`])),
      output: { entryFileNames: '[name].js', chunkFileNames: 'shared/[name].js' },
    },
  },
  resolve: {
    alias: {
      '@lit-labs/ssr-dom-shim': fileURLToPath(new URL('src/server-dom.ts', import.meta.url)),
      // Its build for Node.js sets no property in browsers.
      '@lit/react': fileURLToPath(new URL('node_modules/@lit/react/index.js', import.meta.url)),
    },
  },
  ssr: {
    noExternal: [
      '@lit/react',
      '@pi-checkout/contract',
      'lit',
      'lit-element',
      'lit-html',
      '@lit/reactive-element',
    ],
    resolve: { conditions: ['source', 'node', 'production'] },
  },
}

export default defineConfig(({ mode }) => (mode === 'standalone' ? standalone : entries))
