// Other Node.js versions to test the packed packages with, from npm; stored in .cache/node.
import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { root } from './files.mjs'

const home = join(root, '.cache/node')

/** The minimum of `engines`, and the latest of each supported line. */
export const nodeVersions = ['20.19.0', '22.23.3', '24.21.0', '26.10.0']

/**
 * @returns The path of this Node.js.
 * @throws {Error} If it cannot be downloaded.
 */
export function nodeBinary(version) {
  if (process.versions.node === version) return process.execPath
  const folder = join(home, version)
  const name = `node-${process.platform}-${process.arch}`
  // npm writes this file last.
  if (!existsSync(join(folder, 'node_modules/.package-lock.json'))) {
    const args = ['install', '--silent', '--prefix', folder, `${name}@${version}`]
    const { status, stderr } = spawnSync('npm', args, { encoding: 'utf8' })
    if (status !== 0) throw new Error(`npm ${args.join(' ')} failed: ${stderr}`)
  }
  return join(folder, 'node_modules', name, 'bin/node')
}
