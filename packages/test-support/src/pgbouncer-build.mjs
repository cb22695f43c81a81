/**
 * PgBouncer, built from the source that Debian keeps: Debian 12 has 1.18, without prepared statements in transaction
 * mode. Plain JavaScript, because the setup runs it before the dependencies are installed.
 *
 * @module
 */
import { spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

const version = '1.24.1'
const source = `http://deb.debian.org/debian/pool/main/p/pgbouncer/pgbouncer_${version}.orig.tar.gz`
const sha256 = 'da72a3aba13072876d055a3e58dd4aba4a5de4ed6148e73033185245598fd3e0'
const folder = fileURLToPath(new URL('../../../node_modules/.cache/pgbouncer/', import.meta.url))

/** Debian packages with which it is built. */
export const buildPackages = ['build-essential', 'libevent-dev', 'pkg-config']

/** Path of the program; `undefined` if it is not built. */
export function pgbouncerPath() {
  const program = `${folder}pgbouncer-${version}/pgbouncer`
  return existsSync(program) ? program : undefined
}

/** Downloads and builds it. Returns whether it succeeded. */
export async function buildPgbouncer() {
  const archive = await download().catch(() => undefined)
  if (!archive) return false
  mkdirSync(folder, { recursive: true })
  writeFileSync(`${folder}source.tar.gz`, archive)
  const steps = [
    ['tar', ['xzf', '../source.tar.gz', '--strip-components=1']],
    ['./configure', ['--quiet', '--without-openssl', '--without-cares']],
    ['make', ['--silent', '--jobs=2']],
  ]
  const cwd = `${folder}pgbouncer-${version}`
  mkdirSync(cwd, { recursive: true })
  return steps.every(([command, args]) => spawnSync(command, args, { cwd }).status === 0)
}

async function download() {
  const response = await fetch(source, { signal: AbortSignal.timeout(60_000) })
  const archive = Buffer.from(await response.arrayBuffer())
  return createHash('sha256').update(archive).digest('hex') === sha256 ? archive : undefined
}
