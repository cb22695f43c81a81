import { defineConfig } from 'vite'

/** The server as one file, which starts faster than many. The pages need no build. */
export default defineConfig({
  publicDir: false,
  build: { ssr: 'server/main.ts', outDir: 'dist/server' },
  // It loads machine code from its folder.
  ssr: { noExternal: true, external: ['libsql'] },
})
