/** Builds the demo and what it needs before its tests: the shop serves built pages only. @module */
import { spawnSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'

export function setup(): void {
  const cwd = fileURLToPath(new URL('..', import.meta.url))
  const { status } = spawnSync('npm', ['run', '--silent', 'build'], { cwd, stdio: 'inherit' })
  if (status !== 0) throw new Error('The demo could not be built. See the lines above.')
}
