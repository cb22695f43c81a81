import { defineConfig, type Plugin } from 'vite'
import { fakeHostedPage } from '../src/testing/index.ts'
import { type Scenario, scenarios } from './scenarios.ts'

// A folder of static files that the sandbox serves: relative addresses, no inline script.
export default defineConfig({
  root: import.meta.dirname,
  base: './',
  plugins: [fakePages()],
  resolve: { conditions: ['source', 'module', 'browser', 'production'] },
  build: {
    outDir: '../dist/playground',
    emptyOutDir: true,
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
  },
})

/** One page and one script per scenario, for a policy of `script-src 'self'`. */
function fakePages(): Plugin {
  return {
    name: 'fake-pages',
    generateBundle() {
      for (const [name, { fake }] of Object.entries<Scenario>(scenarios)) {
        if (!fake) continue
        const { html } = fakeHostedPage(fake)
        const [before = '', script = '', after = ''] = html.split(/<script>|<\/script>/)
        const page = `${before}<script src="./fake-${name}.js"></script>${after}`
        this.emitFile({ type: 'asset', fileName: `fake-${name}.html`, source: page })
        this.emitFile({ type: 'asset', fileName: `fake-${name}.js`, source: script })
      }
    },
  }
}
