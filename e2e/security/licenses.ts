/**
 * The third-party packages that run where this project runs, as they are installed, with their licenses.
 *
 * @module
 */
import { existsSync, readFileSync, realpathSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { root } from '@pi-checkout/test-support/process'

export interface RuntimePackage {
  readonly name: string
  readonly version: string
  readonly license: string
  /** The packages of this repository that depend on it. */
  readonly usedBy: readonly string[]
}

interface Manifest {
  readonly name: string
  readonly version: string
  readonly license?: string
  readonly dependencies?: Readonly<Record<string, string>>
}

const ours = [
  'packages/contract',
  'packages/element',
  'packages/server',
  'packages/service',
  'demo',
]

export function runtimePackages(): readonly RuntimePackage[] {
  const found = new Map<string, RuntimePackage>()
  for (const folder of ours) {
    const own = read(join(root, folder))
    collect(join(root, folder), own.name, found)
  }
  return [...found.values()].sort((one, other) => (one.name < other.name ? -1 : 1))
}

export function licenseTable(packages: readonly RuntimePackage[]): string {
  const lines = packages.map(
    ({ name, version, license, usedBy }) =>
      `| ${name} | ${version} | ${license} | ${usedBy.join(', ')} |`,
  )
  return [
    '# Licenses',
    '',
    'Every third-party package that runs with ours, and under which license. Prebuilt files for one',
    'platform, such as those of `libsql`, come under the license of the package that chooses them.',
    '',
    '| package | version | license | brought by |',
    '|---|---|---|---|',
    ...lines,
    '',
  ].join('\n')
}

/** Follows installed packages, without optional ones: these differ between hosts. */
function collect(folder: string, owner: string, found: Map<string, RuntimePackage>): void {
  for (const name of [...Object.keys(read(folder).dependencies ?? {}), ...bundledIn(folder)]) {
    if (name.startsWith('@pi-checkout/')) continue
    const path = find(folder, name)
    const { version, license = 'none' } = read(path)
    const key = `${name}@${version}`
    const known = found.get(key)
    if (known?.usedBy.includes(owner)) continue
    found.set(key, { name, version, license, usedBy: [...(known?.usedBy ?? []), owner].sort() })
    collect(path, owner, found)
  }
}

/** Returns the packages that a build has inlined, by its license notices. */
function bundledIn(folder: string): string[] {
  const notices = join(folder, 'dist/licenses.md')
  if (folder.includes('node_modules') || !existsSync(notices)) return []
  return [...readFileSync(notices, 'utf8').matchAll(/^## (\S+) - /gm)].map(([, name = '']) => name)
}

/** As Node finds a package: in the nearest node_modules that has it. */
function find(from: string, name: string): string {
  for (let folder = realpathSync(from); ; folder = dirname(folder)) {
    const path = join(folder, 'node_modules', name)
    if (existsSync(join(path, 'package.json'))) return realpathSync(path)
    if (folder === dirname(folder)) throw new Error(`${name} is not installed for ${from}`)
  }
}

function read(folder: string): Manifest {
  return JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'))
}
