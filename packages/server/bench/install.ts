/**
 * What an installation puts on a shop's disk: the package with everything that it needs to run.
 *
 * Read from what is installed here, so it needs no network: of ours what the manifest publishes, of
 * peers the packages as they were unpacked.
 *
 * @module
 */
import { existsSync, readdirSync, readFileSync, realpathSync, statSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { type Row, rowOf } from '../../../.ci/bench/row.ts'
import { type InstallFigure, install, installFigures } from './table.ts'

const room = fileURLToPath(new URL('..', import.meta.url))

type Installed = Readonly<Record<InstallFigure, number>>

interface Manifest {
  readonly name: string
  readonly version: string
  readonly files?: readonly string[]
  readonly dependencies?: Readonly<Record<string, string>>
}

/** Counts bytes, files and packages; optional and peer dependencies are nobody's. */
export function measureInstall(): {
  readonly rows: readonly Row[]
  readonly runs: readonly object[]
} {
  const ours = installed(room)
  const peers = {
    stripe: installed(packageFolder('stripe', room)),
    mollie: installed(packageFolder('@mollie/api-client', room)),
  } as const
  const compare = (peer: keyof typeof peers, what: InstallFigure): Row =>
    rowOf(install(what, peer), [{ ours: ours[what], baseline: peers[peer][what] }])
  return {
    rows: (['stripe', 'mollie'] as const).flatMap((peer) =>
      installFigures.map((what) => compare(peer, what)),
    ),
    runs: [
      { what: 'install, pi-checkout', ...ours },
      ...Object.entries(peers).map(([name, one]) => ({ what: `install, ${name}`, ...one })),
    ],
  }
}

function installed(folder: string): Installed {
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

/** As Node looks for it: upwards from the real place of whoever asks. */
function packageFolder(name: string, from: string): string {
  for (let at = realpathSync(from); at !== dirname(at); at = dirname(at)) {
    const found = join(at, 'node_modules', name)
    if (existsSync(join(found, 'package.json'))) return realpathSync(found)
  }
  throw new Error(`${name} is not installed; npm run bench installs it`)
}

/** A folder of ours holds sources and tests too: there the manifest says what is published. */
function packagedFiles(folder: string): string[] {
  const { files } = manifestOf(folder)
  if (folder.includes(`${join('/', 'node_modules', '/')}`)) return filesIn(folder)
  // Packing puts the repository's licence beside them.
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
