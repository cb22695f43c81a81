import { defineConfig, type Plugin } from 'vite'

// The self-contained file, Lit included. The npm package is built by tsc alone.
export default defineConfig({
  plugins: [squeezeTemplates(), shortenPrivateNames()],
  resolve: { conditions: ['source', 'module', 'browser', 'production'] },
  build: {
    target: 'es2022',
    emptyOutDir: false,
    lib: { entry: 'src/standalone.ts', formats: ['es'], fileName: () => 'pi-checkout.js' },
    license: { fileName: 'pi-checkout.LICENSES.md' },
    rolldownOptions: { output: { minify: true } },
  },
})

/** The minifier keeps the white space of template literals, and ours hold CSS and HTML. */
function squeezeTemplates(): Plugin {
  const squeeze = (rules: string): string =>
    rules
      .replace(/\s+/g, ' ')
      .replace(/ ?([{}:;,>]) ?/g, (_, mark: string) => mark)
      .replaceAll(';}', '}')
  return {
    name: 'squeeze-templates',
    transform: {
      order: 'pre',
      filter: { id: /\/element\/src\/(styles|checkout-element)\.ts$/ },
      handler: (code, id) =>
        id.endsWith('styles.ts')
          ? code.replace(/(?<=css`)[^`]+/g, squeeze)
          : code.replace(/(?<=>|\})\n\s+(?=<|\$\{)/g, ''),
    },
  }
}

/** Lit's internal names matter only where two files share one Lit; this file keeps its own. */
function shortenPrivateNames(): Plugin {
  const shorten = (code: string): string => {
    const names = [...new Set(code.match(/\b_\$\w+\$?/g))].sort()
    return code
      .replaceAll('/* @__PURE__ */ ', '')
      .replace(/\b_\$\w+\$?/g, (name) => `$${names.indexOf(name).toString(36)}`)
  }
  return {
    name: 'shorten-private-names',
    generateBundle: (_, bundle) => {
      for (const file of Object.values(bundle)) {
        if (file.type === 'chunk') file.code = shorten(file.code)
      }
    },
  }
}
