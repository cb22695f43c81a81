// Other Node.js versions to test the packed packages with, from npm and its cache.
import { spawnSync } from 'node:child_process'
import { tmpdir } from 'node:os'

/** The minimum of `engines`, and the latest of each supported line. */
export const nodeVersions = ['20.19.0', '22.23.3', '24.21.0', '26.10.0']

/**
 * @returns The path of this Node.js.
 * @throws {Error} If it cannot be downloaded.
 */
export function nodeBinary(version) {
  if (process.versions.node === version) return process.execPath
  const name = `node-${process.platform}-${process.arch}@${version}`
  const args = ['--yes', '--prefer-offline', '--package', name, '--call', 'command -v node']
  // In the repository it would first search all dependencies.
  const options = { cwd: tmpdir(), encoding: 'utf8' }
  const { status, stdout, stderr } = spawnSync('npx', args, options)
  if (status !== 0) throw new Error(`npx ${args.join(' ')} failed: ${stderr}`)
  return stdout.trim()
}
