import { defaultClientConditions, defineConfig, type UserConfig } from 'vite'

/** `vite build` builds the pages, and `vite build --ssr` the server as one file, which starts faster than many. */
export default defineConfig(({ isSsrBuild }) => (isSsrBuild ? server : pages))

const server: UserConfig = {
  build: { outDir: 'dist/server' },
  // It loads machine code from its folder.
  ssr: { noExternal: true, external: ['libsql'] },
}

const pages: UserConfig = {
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
}
