// Other Node versions to try the packed packages with, from npm; kept in .cache/node.
import { spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, renameSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const home = fileURLToPath(new URL('../../.cache/node', import.meta.url))

/** The floor of `engines`, and the newest of each line that is supported beside it. */
export const nodeVersions = ['20.19.0', '22.23.3', '24.21.0', '26.10.0']

/**
 * @returns The path of this Node.
 * @throws {Error} It could not be downloaded; the message says why.
 */
export function nodeBinary(version) {
  if (process.versions.node === version) return process.execPath
  const folder = join(home, version)
  const binary = join(folder, 'bin/node')
  if (existsSync(binary)) return binary
  mkdirSync(folder, { recursive: true })
  const name = `node-${process.platform}-${process.arch}@${version}`
  const packed = run('npm', ['pack', '--silent', name], folder)
  const unpacking = `${folder}.${process.pid}`
  mkdirSync(unpacking)
  const tarball = join(folder, packed.trim())
  run('tar', ['-xzf', tarball, '-C', unpacking, '--strip-components=1', 'package/bin/node'], folder)
  rmSync(folder, { recursive: true })
  // In one step, so that a download that was cut short is never taken for a Node.
  renameSync(unpacking, folder)
  return binary
}

function run(command, args, cwd) {
  const { status, stdout, stderr } = spawnSync(command, args, { cwd, encoding: 'utf8' })
  if (status !== 0) throw new Error(`${command} ${args.join(' ')} failed: ${stderr}`)
  return stdout
}
