/** Addresses of the built scripts, styles, and fonts. Their names contain a hash. @module */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

/** Folder of the built files, relative to the sources or to the build. */
export const builtPages = fileURLToPath(
  new URL(import.meta.url.endsWith('.ts') ? '../dist/pages/' : '../pages/', import.meta.url),
)

export interface Assets {
  /** Returns the address of a file of `pages`. */
  url(source: string): string
  /** Returns the addresses of the files that a script imports. */
  imports(source: string): readonly string[]
}

export function readAssets(): Assets {
  const manifest: Readonly<Record<string, { file: string; imports?: string[] }>> = JSON.parse(
    readFileSync(join(builtPages, '.vite/manifest.json'), 'utf8'),
  )
  const url = (source: string): string => `/${manifest[source]?.file}`
  return { url, imports: (source) => (manifest[source]?.imports ?? []).map(url) }
}
