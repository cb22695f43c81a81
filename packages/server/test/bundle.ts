/** Bundles sources, so that tests which start many processes compile once. @module */
import { mkdtemp, rm, symlink } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { build, type Plugin } from 'vite'

/** Bundles a module of this package for Node.js. */
export async function bundle(
  entry: string,
  plugins: Plugin[] = [],
): Promise<{ readonly file: string; readonly remove: () => Promise<void> }> {
  const folder = await mkdtemp(join(tmpdir(), 'pi-checkout-'))
  const packages = fileURLToPath(new URL('../node_modules', import.meta.url))
  await symlink(packages, join(folder, 'node_modules'))
  await build({
    configFile: false,
    logLevel: 'error',
    plugins,
    build: {
      ssr: entry,
      outDir: join(folder, 'out'),
      rolldownOptions: { output: { entryFileNames: 'bundle.mjs' } },
    },
    ssr: { noExternal: true, external: ['jose'], resolve: { conditions: ['source'] } },
  })
  return {
    file: join(folder, 'out/bundle.mjs'),
    remove: () => rm(folder, { recursive: true, force: true }),
  }
}
