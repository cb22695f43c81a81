/**
 * What an installation adds to a shop's disk: the package with everything that it needs to run.
 *
 * Read from what is installed here, without network: for our package what its manifest publishes, for
 * peers the unpacked packages.
 *
 * @module
 */
import { existsSync, readdirSync, readFileSync, realpathSync, statSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { Samples } from '../samples.ts'

interface Manifest {
  readonly name: string
  readonly version: string
  readonly files?: readonly string[]
  readonly dependencies?: Readonly<Record<string, string>>
}

/** Counts bytes, files, and packages, without optional and peer dependencies. */
export function measure(samples: Samples): void {
  const here = import.meta.dirname
  samples.record('install, pi-checkout', installed(join(here, '../../server')))
  for (const peer of ['stripe', '@mollie/api-client']) {
    samples.record(`install, ${peer}`, installed(packageFolder(peer, here)))
  }
}

function installed(folder: string) {
  const folders = [...closure(folder, new Map()).values()]
  const sizes = folders.flatMap((one) => packagedFiles(one).map((path) => statSync(path).size))
  return {
    bytes: sizes.reduce((sum, size) => sum + size, 0),
    files: sizes.length,
    packages: folders.length,
  }
}

/** The package and all that it depends on, each version once. */
function closure(folder: string, known: Map<string, string>): Map<string, string> {
  const { name, version, dependencies = {} } = manifestOf(folder)
  const id = `${name}@${version}`
  if (known.has(id)) return known
  known.set(id, folder)
  for (const dependency of Object.keys(dependencies)) {
    closure(packageFolder(dependency, folder), known)
  }
  return known
}

/** Resolves like Node.js: upwards from the real path of the importing package. */
function packageFolder(name: string, from: string): string {
  for (let at = realpathSync(from); at !== dirname(at); at = dirname(at)) {
    const found = join(at, 'node_modules', name)
    if (existsSync(join(found, 'package.json'))) return realpathSync(found)
  }
  throw new Error(`${name} is not installed; npm run bench installs it`)
}

/** Our folder has sources and tests too: its manifest lists what is published. */
function packagedFiles(folder: string): string[] {
  const { files } = manifestOf(folder)
  if (folder.includes(`${join('/', 'node_modules', '/')}`)) return filesIn(folder)
  // Packing adds the repository's license.
  return ['package.json', 'README.md', '../../LICENSE', ...(files ?? [])]
    .map((name) => join(folder, name))
    .filter((path) => existsSync(path))
    .flatMap((path) => (statSync(path).isDirectory() ? filesIn(path) : [path]))
}

function filesIn(folder: string): string[] {
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    const path = join(folder, entry.name)
    if (!entry.isDirectory()) return [path]
    return entry.name === 'node_modules' ? [] : filesIn(path)
  })
}

function manifestOf(folder: string): Manifest {
  return JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'))
}
