/** Third-party packages as they are installed here. @module */
import { existsSync, readFileSync, realpathSync } from 'node:fs'
import { dirname, join } from 'node:path'

/** The parts of a `package.json` that the checks read. */
export interface Manifest {
  readonly name: string
  readonly version: string
  readonly license?: string
  readonly files?: readonly string[]
  readonly dependencies?: Readonly<Record<string, string>>
}

/**
 * Returns the folder of each package that a package needs to run, without optional, peer, and our own packages.
 *
 * @param names - Packages that it needs although its manifest does not list them.
 */
export function dependencyFolders(folder: string, names: readonly string[] = []): Set<string> {
  const folders = new Set<string>()
  const add = (from: string, needed: readonly string[]): void => {
    for (const name of needed) {
      if (name.startsWith('@pi-checkout/')) continue
      const path = packageFolder(name, from)
      if (folders.has(path)) continue
      folders.add(path)
      add(path, Object.keys(manifestOf(path).dependencies ?? {}))
    }
  }
  add(folder, [...Object.keys(manifestOf(folder).dependencies ?? {}), ...names])
  return folders
}

/**
 * Resolves like Node.js: upwards from the real path of the importing package.
 *
 * @throws {Error} If the package is not installed.
 */
export function packageFolder(name: string, from: string): string {
  for (let at = realpathSync(from); at !== dirname(at); at = dirname(at)) {
    const found = join(at, 'node_modules', name)
    if (existsSync(join(found, 'package.json'))) return realpathSync(found)
  }
  throw new Error(`${name} is not installed for ${from}`)
}

export function manifestOf(folder: string): Manifest {
  return JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'))
}
