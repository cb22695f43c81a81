/**
 * What an installation adds to a shop's disk: the package with everything that it needs to run.
 *
 * Read from what is installed here, without network: for our package what its manifest publishes, for
 * peers the unpacked packages.
 *
 * @module
 */
import { existsSync, readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import {
  dependencyFolders,
  manifestOf,
  packageFolder,
} from '@pi-checkout/test-support/installed-packages'
import type { Samples } from '../samples.ts'

/** Counts bytes, files, and packages, without optional and peer dependencies. */
export function measure(samples: Samples): void {
  const here = import.meta.dirname
  samples.record('install, pi-checkout', installed(join(here, '../../server')))
  for (const peer of ['stripe', '@mollie/api-client']) {
    samples.record(`install, ${peer}`, installed(packageFolder(peer, here)))
  }
}

function installed(folder: string) {
  const folders = [folder, ...dependencyFolders(folder)]
  const sizes = folders.flatMap((one) => packagedFiles(one).map((path) => statSync(path).size))
  return {
    bytes: sizes.reduce((sum, size) => sum + size, 0),
    files: sizes.length,
    packages: folders.length,
  }
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
