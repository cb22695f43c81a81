/**
 * Builds the pages once, as they are served, unless the build has: the shop knows no other form of them.
 *
 * @module
 */
import { spawnSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { isBuilt } from '../../.ci/built.mjs'

export function setup(): void {
  if (isBuilt('demo')) return
  const cwd = fileURLToPath(new URL('..', import.meta.url))
  // Vitest's own NODE_ENV would build the development form of every dependency.
  const env = { ...process.env, NODE_ENV: 'production' }
  const args = ['node_modules/vite/bin/vite.js', 'build', '--logLevel', 'error']
  const { status } = spawnSync(process.execPath, args, { cwd, env, stdio: 'inherit' })
  if (status !== 0) throw new Error('the pages could not be built; see the lines above')
}
