// Other Node.js versions to test the packed packages with, from npm; stored in .cache/node.
import { spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, renameSync, rmSync } from 'node:fs'
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
  const binary = join(folder, 'bin/node')
  if (existsSync(binary)) return binary
  mkdirSync(folder, { recursive: true })
  const name = `node-${process.platform}-${process.arch}@${version}`
  const packed = run('npm', ['pack', '--silent', name], folder)
  const temporary = `${folder}.${process.pid}`
  mkdirSync(temporary)
  const tarball = join(folder, packed.trim())
  run('tar', ['-xzf', tarball, '-C', temporary, '--strip-components=1', 'package/bin/node'], folder)
  rmSync(folder, { recursive: true })
  // In one step, so that an incomplete download is never used.
  renameSync(temporary, folder)
  return binary
}

function run(command, args, cwd) {
  const { status, stdout, stderr } = spawnSync(command, args, { cwd, encoding: 'utf8' })
  if (status !== 0) throw new Error(`${command} ${args.join(' ')} failed: ${stderr}`)
  return stdout
}
