/** The third-party packages that run where this project runs, as they are installed, with their licenses. @module */
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { dependencyFolders, manifestOf } from '@pi-checkout/test-support/installed-packages'
import { root } from '@pi-checkout/test-support/process'

export interface RuntimePackage {
  readonly name: string
  readonly version: string
  readonly license: string
  /** The packages of this repository that depend on it. */
  readonly usedBy: readonly string[]
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
  for (const folder of ours.map((name) => join(root, name))) {
    const owner = manifestOf(folder).name
    for (const path of dependencyFolders(folder, bundledIn(folder))) {
      const { name, version, license = 'none' } = manifestOf(path)
      const usedBy = found.get(`${name}@${version}`)?.usedBy ?? []
      found.set(`${name}@${version}`, {
        name,
        version,
        license,
        usedBy: [...new Set([...usedBy, owner])].sort(),
      })
    }
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

/** Returns the packages that a build has inlined, by its license notices. */
function bundledIn(folder: string): string[] {
  const notices = join(folder, 'dist/licenses.md')
  if (!existsSync(notices)) return []
  return [...readFileSync(notices, 'utf8').matchAll(/^## (\S+) - /gm)].map(([, name = '']) => name)
}
